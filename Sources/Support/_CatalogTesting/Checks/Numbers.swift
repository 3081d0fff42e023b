package import Bytes
package import GraphIR
import LayerCatalog

extension OperatorExample {
  /// What is wrong with the layout rule: the operator it gives, on inputs with permuted axes, must
  /// make the outputs with permuted axes.
  package func layoutProblems() -> [String] {
    let example = inDouble
    let rank = dataPositions.map { inputs[$0].shape.count }.max() ?? 0
    return reporting { () throws(WeighbridgeError) in
      let wanted = try example.outputs()
      var problems: [String] = []
      for axes in Self.permutations(of: rank) {
        guard let turned = operation.permutingAxes(axes) else { continue }
        guard (dataPositions.map { inputs[$0] } + wanted).allSatisfy({ $0.shape.count == rank })
        else { return ["gives an operator for \(axes), and not all tensors have \(rank) axes"] }
        var permuted = example.inputs
        for position in dataPositions { permuted[position] = permuted[position].permuted(axes) }
        let got = try OperatorExample(turned, inputs: permuted).outputs()
        problems += Self.differences(got, wanted.map { $0.permuted(axes) }, "axes \(axes)")
      }
      return problems
    }
  }

  /// What is wrong with the decomposition: it must compute the same.
  package func decompositionProblems() -> [String] {
    let example = inDouble
    return reporting { () throws(WeighbridgeError) in
      guard let graph = try example.decomposed() else { return [] }
      let got = try Self.run(graph, dataPositions.map { example.inputs[$0] })
      return Self.differences(got, try example.outputs(), "the decomposition")
    }
  }

  /// The decomposition on the example's inputs, the weights as constants; `nil` for a primitive.
  package func decomposed() throws(WeighbridgeError) -> Graph? {
    guard case .nodes(let build) = operation.decomposition else { return nil }
    var builder = GraphBuilder()
    var values: [ValueID] = []
    for (position, input) in inputs.enumerated() {
      values.append(
        dataPositions.contains(position)
          ? try builder.addInput("input \(position)", input.type)
          : try builder.addWeight("weight \(position)", input))
    }
    let source = SourceScope(layer: "example", className: operation.kind)
    let outputs = try build(&builder, values, source)
    return try builder.finish(
      outputs: outputs.enumerated().map { Port(name: "output \($0)", value: $1) })
  }

  /// What is wrong with the use of threads: the outputs' bytes must not depend on their number.
  package func workerProblems() -> [String] {
    reporting { () throws(WeighbridgeError) in
      let one = try outputs(Workers(count: 1)).map { $0.contiguousBytes() }
      let three = try outputs(Workers(count: 3)).map { $0.contiguousBytes() }
      return one == three ? [] : ["one thread and three threads make different outputs"]
    }
  }

  func outputs(_ workers: Workers = Workers(count: 1)) throws(WeighbridgeError) -> [Tensor] {
    try operation.evaluate(inputs, workers: workers)
  }

  private func reporting(_ body: () throws(WeighbridgeError) -> [String]) -> [String] {
    do throws(WeighbridgeError) { return try body() } catch { return ["throws: \(error)"] }
  }

  /// Computes a graph with the reference kernels.
  private static func run(
    _ graph: Graph, _ inputs: [Tensor]
  ) throws(WeighbridgeError) -> [Tensor] {
    var tensors: [ValueID: Tensor] = [:]
    for (index, value) in graph.values.enumerated() { tensors[ValueID(index)] = value.constant }
    for (port, tensor) in zip(graph.inputs, inputs) { tensors[port.value] = tensor }
    for node in graph.nodes {
      guard let operation = node.operation as? any CatalogOperator else { return [] }
      let outputs = try operation.evaluate(
        node.inputs.compactMap { tensors[$0] }, workers: Workers(count: 1))
      for (id, tensor) in zip(node.outputs, outputs) { tensors[id] = tensor }
    }
    return graph.outputs.compactMap { tensors[$0.value] }
  }
}
