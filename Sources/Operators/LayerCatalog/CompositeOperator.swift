package import Bytes
package import GraphIR

/// An operator that is defined by its decomposition: its reference kernel follows from those of the
/// decomposition's nodes, and so does its shape rule, unless sizes that are not known yet need one of
/// their own.
package protocol CompositeOperator: CatalogOperator {
  /// Expresses the operator in terms of others and returns its outputs.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when the inputs do not fit;
  ///   ``WeighbridgeError/Code/unsupported`` when a dynamic size must be known.
  func compose(_ make: inout Composition) throws(WeighbridgeError) -> [ValueID]
}

/// A composite operator with one output.
package protocol FormulaOperator: CompositeOperator {
  /// Expresses the output in terms of other operators, as ``CompositeOperator/compose(_:)``.
  func formula(_ make: inout Composition) throws(WeighbridgeError) -> ValueID
}

extension FormulaOperator {
  package func compose(_ make: inout Composition) throws(WeighbridgeError) -> [ValueID] {
    [try formula(&make)]
  }
}

extension CompositeOperator {
  package var decomposition: Decomposition { Composition.outputs(for: self, compose) }

  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    try DecomposedOperator(operation: self).outputTypes(of: inputs)
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    try DecomposedOperator(operation: self).evaluate(inputs, workers: workers)
  }
}

extension CompositeOperator where Self: PointwiseOperator {
  package func pointwise(_ types: [ElementType]) -> PointwiseFunction? {
    DecomposedOperator(operation: self).pointwise(types)
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
