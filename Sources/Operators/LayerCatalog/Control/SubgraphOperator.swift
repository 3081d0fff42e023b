package import Bytes
package import GraphIR

/// An operator that runs subgraphs, as often as elements decide. An engine runs them by the machinery
/// by which it runs models.
///
/// The inputs that are passed on to the subgraphs are the last ones, and input `n` of the node is input
/// `n - 1` of a subgraph.
package protocol SubgraphOperator: DataDependentOperator {
  /// The number of inputs that are passed on unchanged, from outside of the subgraphs: the last ones.
  var capturedCount: Int { get }

  /// Computes the outputs.
  ///
  /// - Parameters:
  ///   - inputs: One tensor for each slot; their types have passed the shape rule.
  ///   - memoryLimit: The largest number of bytes that the outputs may take.
  ///   - run: Runs a subgraph, given by its position.
  /// - Throws: ``WeighbridgeError/Code/limitExceeded``, and what `run` throws.
  func evaluate(
    _ inputs: [Tensor], memoryLimit: Int,
    run: (_ subgraph: Int, _ inputs: [Tensor]) throws(WeighbridgeError) -> [Tensor]
  ) throws(WeighbridgeError) -> [Tensor]
}

extension SubgraphOperator {
  /// The most memory that outputs take where no engine sets a limit: 1 GiB.
  private static var standardMemoryLimit: Int { 1 << 30 }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    do throws(ShapeError) { _ = try outputTypes(of: inputs.map(\.type)) } catch {
      throw .mismatch(error.reason)
    }
    return try evaluate(inputs, memoryLimit: Self.standardMemoryLimit) {
      (position, inputs) throws(WeighbridgeError) in
      try subgraphs[position].graph.evaluatedStepwise(inputs, workers: workers)
    }
  }

  /// Subgraphs may compute anything; they are held to the tolerance of their parts.
  package var tolerance: Tolerance { .standard(for: .float32) }

  package var cost: OperatorCost { .elements }

  /// The subgraphs have the axes that they were built with.
  package func permutingAxes(_ axes: [Int]) -> Self? { nil }
}

extension Graph {
  /// Evaluates the graph node by node with the reference kernels; shapes that elements decide are checked
  /// once they are known.
  ///
  /// - Throws: ``WeighbridgeError/Code/mismatch`` at the layer whose inputs do not fit.
  fileprivate func evaluatedStepwise(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    try check(inputs: inputs)
    var tensors = values.map(\.constant)
    for (port, tensor) in zip(self.inputs, inputs) { tensors[port.value.index] = tensor }
    for (position, node) in nodes.enumerated() {
      try locating({ $0.at(layer: node.source.place(position)) }) { () throws(WeighbridgeError) in
        guard let operation = node.operation as? any CatalogOperator else {
          throw .unsupported("\(node.operation.kind) cannot run")
        }
        let operands = node.inputs.compactMap { tensors[$0.index] }
        do throws(ShapeError) {
          _ = try operation.checkedOutputTypes(of: operands.map(\.type))
        } catch { throw .mismatch(error.reason) }
        let outputs = try operation.evaluate(operands, workers: workers)
        for (id, tensor) in zip(node.outputs, outputs) { tensors[id.index] = tensor }
      }
    }
    return outputs.compactMap { tensors[$0.value.index] }
  }
}

extension Subgraph {
  /// Why the graph cannot take or give values of some types; `nil` if it can.
  ///
  /// - Parameters:
  ///   - name: Its name in messages.
  ///   - inputCount: The number of values that are passed to it.
  ///   - minimumOutputCount: The number of values that it must give at least.
  func problem(_ name: String, inputCount: Int, minimumOutputCount: Int) -> String? {
    let (inputs, outputs) = (graph.inputs.count, graph.outputs.count)
    if inputs != inputCount {
      return "the subgraph \(name) has \(inputs.counted("input")), expected \(inputCount)"
    }
    if outputs < minimumOutputCount {
      return
        "the subgraph \(name) has \(outputs.counted("output")), expected at least \(minimumOutputCount)"
    }
    return nil
  }
}
