package import Bytes
package import GraphIR

/// The center of an image, cropped to given sizes.
///
/// - input: `[batch, spatial..., channels]` or `[batch, channels, spatial...]`, by `layout`; two
///   spatial axes
/// - output: the same with these sizes
///
/// If the number of removed elements is odd, one more is removed at the end than at the start. An
/// input that is shorter along an axis is cropped to the output's aspect ratio and resized
/// bilinearly instead, as in ``Resizing``.
package struct CenterCrop: FormulaOperator, ImageOperator, ArithmeticOperator {
  /// The sizes of the output's spatial axes: two, 1 to 2^24 each.
  package let dimensions: [Int]
  /// The order of the input's and output's axes.
  package let layout: DataLayout

  package static let kind = "center_crop"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    """
    If no spatial axis of the input is shorter than the output:
    output[n, c, i] = input[n, c, i + floor((input size - output size) / 2)], i along the \
    spatial axes
    Otherwise it is resizing of the input with this size and layout, interpolation bilinear,
    antialias false and aspect_ratio crop.
    """,
    of: .float,
    attributes: AttributeSchema(
      Self.init(dimensions:layout:),
      .integers(
        "size", \.dimensions, "The output's height and width.", .atLeast(1), .sizeLimit,
        .minimumCount(2), .maximumCount(2)),
      .layout(\.layout)))

  /// Creates the operator.
  package init(dimensions: [Int], layout: DataLayout) {
    self.dimensions = dimensions
    self.layout = layout
  }
}

extension CenterCrop {
  /// The operator for inputs that are too small.
  private var resizing: Resizing {
    Resizing(
      dimensions: dimensions, interpolation: .bilinear, antialiases: false, fit: .crop,
      layout: layout)
  }

  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    try resizing.outputTypes(of: inputs)
  }

  package func permutingAxes(_ axes: [Int]) -> CenterCrop? {
    guard axes.count == dimensions.count + 2, let layout = layout.permuted(by: axes) else {
      return nil
    }
    return CenterCrop(dimensions: dimensions, layout: layout)
  }

  package func formula(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    var result = make.inputs[0]
    let axes = layout.spatialAxes(rank: dimensions.count + 2)
    for (axis, size) in zip(axes, dimensions) where try make.size(result, axis: axis) < size {
      return try make(resizing, result)
    }
    for (axis, size) in zip(axes, dimensions) {
      let start = (try make.size(result, axis: axis) - size) / 2
      result = try make.slice(result, start..<start + size, axis: axis)
    }
    return result
  }
}
