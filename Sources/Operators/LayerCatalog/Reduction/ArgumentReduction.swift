package import Bytes
import GraphIR

/// An operator that returns the position of the most extreme element along an axis, the first one
/// if several are equal.
///
/// - input: any shape with this axis, numbers
/// - output: `elementType`; the input's axes, with `axis` removed or of size 1
///
/// NaN counts as the most extreme. An axis without elements is an error.
package protocol ArgumentReduction: ExactOperator {
  /// The axis; the first is 0.
  var axis: Int { get }
  /// Whether the output keeps the axis, with size 1.
  var keepDims: Bool { get }
  /// The output's element type.
  var elementType: ElementType { get }

  /// Creates the operator.
  init(axis: Int, keepDims: Bool, elementType: ElementType)
}

extension ArgumentReduction {
  /// The attributes in which the settings are stored.
  static var attributeSchema: AttributeSchema<Self> {
    AttributeSchema(
      Self.init(axis:keepDims:elementType:),
      .axis(\.axis),
      .keepDims(\.keepDims),
      .elementType(\.elementType))
  }

  package static var version: Int { 1 }

  package func permutingAxes(_ axes: [Int]) -> Self? {
    guard keepDims, let axis = axes.firstIndex(of: axis) else { return nil }
    return Self(axis: axis, keepDims: true, elementType: elementType)
  }
}
