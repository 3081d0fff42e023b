import CPURuntime
import GraphIR
import LayerCatalog
import ReferenceRuntime
import Testing
import Weighbridge

/// Requests to stop that come while a graph is computed.
@Suite struct CancellationTests {
  private func chain() throws -> Graph {
    var builder = GraphBuilder()
    var value = try builder.addInput("x", TensorType(.float32, [1, 2, 2, 1]))
    let pooling = GlobalMaxPooling(keepDims: true, layout: .channelsLast)
    for number in 0..<4 {
      let source = SourceScope(layer: "layer \(number)", className: "GlobalMaxPooling2D")
      value = try builder.addNode(
        pooling, named: "layer \(number)", inputs: [value], source: source)[0]
    }
    return try builder.finish(outputs: [Port(name: "y", value: value)])
  }

  @Test(
    "A cancellation during any layer, even the last, takes effect after that layer",
    arguments: ["reference", "cpu"], 0..<4)
  func stop(engine: String, layer: Int) throws {
    let (graph, cancellation) = (try chain(), Cancellation())
    let workers = Workers(count: 1)
    let options = CPURuntime.Options(
      workers: workers, observesAllNodes: true, cancellation: cancellation)
    let runtime: any Runtime =
      engine == "cpu"
      ? CPURuntime(options) : ReferenceRuntime(workers: workers, cancellation: cancellation)
    let input = Tensor(.float32, shape: [1, 2, 2, 1], [1, 2, 3, 4])
    var observed: [Int] = []
    let error = #expect(throws: WeighbridgeError.self) {
      try runtime.run(graph, inputs: [input]) { result in
        observed.append(result.position)
        if result.position == layer { cancellation.cancel() }
      }
    }
    #expect(error?.code == .cancelled)
    #expect(observed == Array(0...layer))
  }
}
