package import Bytes
package import GraphIR

/// An operator that reduces all elements of a channel to one.
///
/// - input: `[batch, spatial..., channels]` or `[batch, channels, spatial...]`, by `layout`, with
///   at least one spatial axis
/// - output: `[batch, channels]`, or the input's axes with the spatial ones of size 1
package protocol GlobalPoolingOperator: FormulaOperator, ImageOperator {
  /// Whether the output keeps the spatial axes, with size 1.
  var keepDims: Bool { get }

  /// Creates the operator.
  init(keepDims: Bool, layout: DataLayout)

  /// The reduction of all elements of a channel of an image.
  static var function: Reduce.Function { get }
}

extension GlobalPoolingOperator {
  /// The attributes in which the settings are stored.
  static var attributeSchema: AttributeSchema<Self> {
    AttributeSchema(
      Self.init(keepDims:layout:),
      .keepDims(\.keepDims),
      .layout(\.layout))
  }

  package func permutingAxes(_ axes: [Int]) -> Self? {
    // Without the spatial axes, the output has no axes to permute.
    guard keepDims, axes.count >= 3, let layout = layout.permuted(by: axes) else { return nil }
    return Self(keepDims: keepDims, layout: layout)
  }

  package func formula(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    let type = make.type(make.inputs[0])
    guard type.rank >= 3 else {
      throw .malformed("takes an image tensor of floating-point numbers, not \(type)")
    }
    let axes = Array(layout.spatialAxes(rank: type.rank))
    return try make(Reduce(Self.function, axes: axes, keepDims: keepDims), make.inputs[0])
  }
}
