package import Bytes
package import GraphIR

/// The input, unchanged.
///
/// Any shape and element type; the output has the same.
package struct Identity: ElementwiseOperator, CompositeOperator, PlainOperator {
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

  /// No nodes: the output is the input.
  package func compose(_ make: inout Composition) throws(WeighbridgeError) -> [ValueID] {
    make.inputs
  }
}
