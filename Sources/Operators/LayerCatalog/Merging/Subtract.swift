import Bytes
import GraphIR

/// The difference of two tensors, element by element.
///
/// - first, second: of the same rank, with sizes that are equal or 1 along each axis
/// - output: the inputs' shape after broadcasting
package struct Subtract: OverflowingOperator, PrimitiveOperator {
  package var overflow: IntegerOverflow?

  package static let kind = "subtract"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    "y = first - second",
    inputs: [.data("first", .number), .data("second", .same(as: "first"))],
    outputs: [.like("first")],
    attributes: attributeSchema, concepts: [.broadcasting, .integers])

  /// Creates the operator.
  package init(overflow: IntegerOverflow?) { self.overflow = overflow }
}

extension Subtract {
  package func combine(_ element: Double, _ next: Double) -> Double { element - next }

  package func combine(_ element: Int64, _ next: Int64) -> Int64 { element &- next }
}
