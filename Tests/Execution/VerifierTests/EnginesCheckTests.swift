import Bytes
import GraphIR
import LayerCatalog
import ReferenceRuntime
import TestSupport
import Testing
import Verifier
import Weighbridge

@Suite struct EnginesCheckTests {
  private func result(
    _ engine: ChangedRuntime,
    operationCount: @escaping @Sendable (Node, [TensorType]) -> Int? = { $0.operationCount($1) }
  ) throws -> CheckResult {
    let check = EnginesCheck(
      engine: engine, reference: ShapeDetector.runtime, tolerances: { _ in nil },
      operationCount: operationCount)
    return try #require(
      try check.run(VerificationSubject(content: try ShapeDetector.content())).first)
  }

  @Test("An engine that computes the same passes")
  func same() throws {
    let result = try result(ChangedRuntime(position: 3) { _, number in number })
    #expect(result.status == .passed)
    #expect(result.reason.contains("agree in all 23 steps"))
  }

  @Test("A layer that is wrong only within the whole graph fails")
  func wrongInPlace() throws {
    let result = try result(
      ChangedRuntime(position: 4) { count, number in count > 1 ? number * 1.01 : number })
    #expect(result.status == .failed)
    #expect(result.reason.contains("diverge here"))
    #expect(result.layer?.hasPrefix("#4 ") == true)
  }

  @Test("An engine that loses NaN fails, although it computes the same from ordinary numbers")
  func lostNaN() throws {
    let engine = ChangedRuntime(position: 0) { _, number in number.isNaN ? 0 : number }
    let result = try result(engine)
    #expect(result.status == .failed && result.layer != nil)
    #expect(result.reason.contains("differs in NaN or infinity at "))
    // The cheapest steps are tried first, and none is cheap enough.
    #expect(try self.result(engine, operationCount: { _, _ in 1 << 40 }).status == .passed)
  }

  @Test("An engine that makes NaN of an infinity fails")
  func madeNaN() throws {
    let result = try result(
      ChangedRuntime(position: 0) { _, number in number == -.infinity ? .nan : number })
    #expect(result.status == .failed)
  }

  @Test("Rounding that grows from layer to layer is a warning")
  func growingRounding() throws {
    let result = try result(ChangedRuntime(position: 0) { _, number in number + 0.9e-5 })
    #expect(result.status == .warning)
    #expect(result.reason.contains("rounding which grows on the way"))
    #expect(result.layer?.hasPrefix("#0 ") == false)
  }
}

/// The reference runtime with the results of one node changed, also for the nodes that read them.
struct ChangedRuntime: Runtime {
  let name = "changed"
  /// The position of the node.
  let position: Int
  /// Changes an element, given the number of nodes in the graph.
  let change: @Sendable (Int, Double) -> Double

  init(position: Int, change: @escaping @Sendable (Int, Double) -> Double) {
    self.position = position
    self.change = change
  }

  func run(
    _ graph: Graph, inputs: [Tensor], observe: (NodeResult) throws(WeighbridgeError) -> Void
  ) throws(WeighbridgeError) -> [Tensor] {
    let types = try graph.specialized(to: inputs)
    var values: [ValueID: Tensor] = [:]
    for (port, input) in zip(graph.inputs, inputs) { values[port.value] = input }
    for (number, node) in graph.nodes.enumerated() {
      let part = try graph.subgraph([number], types: types)
      let results = try ShapeDetector.runtime.run(
        part.graph, inputs: part.inputs.compactMap { values[$0] }, observe: { _ in })
      let changed = results.map { tensor in
        guard number == position else { return tensor }
        return tensor.changing { numbers in
          numbers = numbers.map { change(graph.nodes.count, $0) }
        }
      }
      for (id, tensor) in zip(node.outputs, changed) { values[id] = tensor }
      try observe(
        NodeResult(ComputedNode(number, of: graph, kernel: .reference), nanoseconds: 0) { changed })
    }
    return graph.outputs.compactMap { values[$0.value] }
  }
}
