package import Bytes
package import GraphIR

/// The input, unchanged.
///
/// Any shape and element type; the output has the same.
package struct Identity: ElementwiseOperator, PlainOperator {
  package static let kind = "identity"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    "y = x",
    of: .any)

  /// Creates the operator.
  package init() {}
}

extension Identity {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] { inputs }

  package func apply(_ element: Double) -> Double { element }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] { inputs }

  /// No nodes: the output is the input.
  package var decomposition: Decomposition { .nodes { _, inputs, _ in inputs } }
}
