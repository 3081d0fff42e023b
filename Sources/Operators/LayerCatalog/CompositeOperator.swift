package import Bytes
package import GraphIR

/// An operator that is defined by its decomposition: its shape rule and its reference kernel follow
/// from those of the decomposition's nodes.
package protocol CompositeOperator: CatalogOperator {
  /// Expresses the operator in terms of others.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when the inputs do not fit;
  ///   ``WeighbridgeError/Code/unsupported`` when a dynamic size must be known.
  func compose(_ make: inout Composition) throws(WeighbridgeError) -> [ValueID]
}

extension CompositeOperator {
  package var decomposition: Decomposition { Composition.outputs(of: compose) }

  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    do throws(WeighbridgeError) {
      guard let graph = try decomposed(inputs) else { return [] }
      return graph.outputs.map { graph[$0.value].type }
    } catch { throw ShapeError(error.reason) }
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    try decomposed(inputs.map(\.type))?.evaluated(inputs, workers: workers) ?? []
  }

  private func decomposed(_ types: [TensorType]) throws(WeighbridgeError) -> Graph? {
    let inputs = types.enumerated().map { Value(name: "input \($0)", type: $1) }
    return try decomposition.graph(
      inputs, source: SourceScope(layer: kind, className: kind))
  }
}

extension Decomposition {
  /// The nodes as a graph with the operator's outputs; `nil` for a primitive.
  ///
  /// - Parameter inputs: The operator's inputs; those with constants become weights of the graph,
  ///   the others its inputs.
  package func graph(
    _ inputs: [Value], source: SourceScope
  ) throws(WeighbridgeError) -> Graph? {
    guard case .nodes(let build) = self else { return nil }
    var builder = GraphBuilder()
    var values: [ValueID] = []
    for input in inputs {
      if let constant = input.constant {
        values.append(try builder.addWeight(input.name, constant))
      } else {
        values.append(try builder.addInput(input.name, input.type))
      }
    }
    let outputs = try build(&builder, values, source)
    return try builder.finish(
      outputs: outputs.enumerated().map { Port(name: "output \($0)", value: $1) })
  }
}

extension Graph {
  /// Evaluates the graph with the reference kernels and returns its outputs, in order.
  package func evaluated(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    var tensors = values.map(\.constant)
    for (port, tensor) in zip(self.inputs, inputs) { tensors[port.value.index] = tensor }
    for node in nodes {
      guard let operation = node.operation as? any CatalogOperator else {
        throw .unsupported("\(node.operation.kind) cannot run")
      }
      let outputs = try operation.evaluate(
        node.inputs.compactMap { tensors[$0.index] }, workers: workers)
      for (id, tensor) in zip(node.outputs, outputs) { tensors[id.index] = tensor }
    }
    return outputs.compactMap { tensors[$0.value.index] }
  }
}
