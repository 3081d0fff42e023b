package import Bytes
package import GraphIR

/// A ``Softmax`` over each of several consecutive groups along an axis: the classes of a tree,
/// where those of a group are mutually exclusive (Redmon and Farhadi 2017, section 4).
///
/// Any shape whose size along `axis` is the total of all groups; the output has the same
/// shape.
package struct GroupedSoftmax: FormulaOperator, ArithmeticOperator {
  /// The axis of the classes; the first is 0.
  package let axis: Int
  /// The number of classes in each group, at least 1.
  package let sizes: [Int]

  package static let kind = "grouped_softmax"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    """
    Along axis the elements are cut into groups of the given sizes, in order.
    In each group: y = softmax of x, as in softmax
    """,
    of: .float,
    attributes: AttributeSchema(
      Self.init(axis:sizes:),
      .axis(\.axis, "The axis of the classes; its size is the sum of the sizes."),
      .integers(
        "sizes", \.sizes, "The number of classes in each group.", .atLeast(1), .sizeLimit,
        .minimumCount(1))))

  /// Creates the operator.
  package init(axis: Int, sizes: [Int]) {
    self.axis = axis
    self.sizes = sizes
  }
}

extension GroupedSoftmax {
  package func permutingAxes(_ axes: [Int]) -> GroupedSoftmax? {
    axes.firstIndex(of: axis).map { GroupedSoftmax(axis: $0, sizes: sizes) }
  }

  package func formula(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    var groups: [ValueID] = []
    for group in try make.outputs(of: Split(axis: axis, sizes: sizes), make.inputs) {
      groups.append(try make(Softmax(axes: [axis]), group))
    }
    return groups.count == 1 ? groups[0] : try make.apply(Concatenate(axis: axis), groups)
  }
}
