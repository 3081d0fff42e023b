package import Bytes
package import GraphIR

/// Adds zeros around the spatial axes.
///
/// - input: `[batch, spatial..., channels]` or `[batch, channels, spatial...]`, by `layout`
/// - output: each spatial axis extended by the added zeros
package struct ZeroPadding: FormulaOperator, ImageOperator, ExactOperator {
  /// The numbers of zeros that are added at both ends of each spatial axis.
  package let borders: Borders
  /// The order of the input's and output's axes.
  package let layout: DataLayout

  package static let kind = "zero_padding"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    """
    output size = input size + before + after
    output[n, c, i] = input[n, c, i - before], 0 outside of the input
    """,
    of: .any,
    attributes: AttributeSchema(
      Self.init(borders:layout:),
      .part(\.borders, Borders.schema),
      .layout(\.layout)))

  /// Creates the operator.
  package init(borders: Borders, layout: DataLayout) {
    self.borders = borders
    self.layout = layout
  }
}

extension ZeroPadding {
  package func permutingAxes(_ axes: [Int]) -> ZeroPadding? {
    guard axes.count == borders.before.count + 2, let layout = layout.permuted(by: axes) else {
      return nil
    }
    return ZeroPadding(borders: borders, layout: layout)
  }

  package func formula(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    let rank = borders.before.count + 2
    let axes = layout.spatialAxes(rank: rank)
    var (before, after) = ([Int](repeating: 0, count: rank), [Int](repeating: 0, count: rank))
    before.replaceSubrange(axes, with: borders.before)
    after.replaceSubrange(axes, with: borders.after)
    return try make(Pad(before: before, after: after, mode: .constant), make.inputs[0])
  }
}
