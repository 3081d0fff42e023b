package import Bytes
package import GraphIR
import LayerCatalog

extension OperatorExample {
  /// Finds problems in the layout rule: from inputs with permuted axes, the operator that it
  /// returns must compute the outputs with permuted axes.
  package func layoutProblems() -> [String] {
    let example = inDouble
    let rank = dataPositions.map { inputs[$0].shape.count }.max() ?? 0
    return reporting { () throws(WeighbridgeError) in
      let expected = try example.outputs()
      var problems: [String] = []
      for axes in Self.permutations(of: rank) {
        guard let permutedOperation = operation.permutingAxes(axes) else { continue }
        guard (dataPositions.map { inputs[$0] } + expected).allSatisfy({ $0.shape.count == rank })
        else { return ["gives an operator for \(axes), and not all tensors have \(rank) axes"] }
        var permuted = example.inputs
        for position in dataPositions { permuted[position] = permuted[position].permuted(axes) }
        let actual = try OperatorExample(permutedOperation, inputs: permuted).outputs()
        problems += Self.differences(actual, expected.map { $0.permuted(axes) }, "axes \(axes)")
      }
      return problems
    }
  }

  /// The number of orders of axes, other than their own, for which the layout rule returns an
  /// operator.
  package var permutationCount: Int {
    let rank = dataPositions.map { inputs[$0].shape.count }.max() ?? 0
    return Self.permutations(of: rank).count {
      $0 != Array(0..<rank) && operation.permutingAxes($0) != nil
    }
  }

  /// Finds problems in the decomposition, which must compute the same as the kernel.
  package func decompositionProblems() -> [String] {
    let example = inDouble
    return reporting { () throws(WeighbridgeError) in
      guard let graph = try example.decomposed() else { return [] }
      let actual = try graph.evaluated(
        dataPositions.map { example.inputs[$0] }, workers: Workers(count: 1))
      return Self.differences(actual, try example.outputs(), "the decomposition")
    }
  }

  /// Returns the decomposition for the example's inputs, with the weights as constants; `nil` for a
  /// primitive.
  package func decomposed() throws(WeighbridgeError) -> Graph? {
    let values = inputs.enumerated().map { position, input in
      Value(
        name: "input \(position)", type: input.type,
        constant: dataPositions.contains(position) ? nil : input)
    }
    return try operation.decomposition.graph(
      values, source: SourceScope(layer: "example", className: operation.kind))
  }

  /// Finds problems in the use of threads: the outputs' bytes must not depend on their number.
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
}
