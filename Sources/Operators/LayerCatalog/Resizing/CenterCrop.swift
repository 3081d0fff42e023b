package import Bytes
package import GraphIR

/// The centre of an image, in given sizes.
///
/// - input: `[batch, spatial..., channels]` or `[batch, channels, spatial...]`, by `layout`; two
///   spatial axes
/// - output: the same with these sizes
///
/// Of an odd rest the smaller half is cut off in front. Where the input is shorter along an axis,
/// it is resized instead, bilinearly and in its proportions, as by ``Resizing``.
package struct CenterCrop: ImageOperator {
  /// The sizes of the output's spatial axes; two, 1 to 2^24 each.
  package let dimensions: [Int]
  /// The order of the input's and output's axes.
  package let layout: DataLayout

  package static let kind = "center_crop"
  package static let version = 1

  package var inputs: [InputSlot] { [.data("input")] }

  package var attributes: Attributes {
    ["size": .integers(dimensions), "layout": .text(layout.rawValue)]
  }

  package static var definition: OperatorDefinition {
    OperatorDefinition(
      """
      If no spatial axis of the input is shorter than the output:
      output[n, c, i] = input[n, c, i + floor((input size - output size) / 2)], i along the \
      spatial axes
      Otherwise it is resizing of the input with this size and layout, interpolation bilinear,
      antialias false and aspect_ratio crop.
      """,
      of: .float,
      attributes: [
        .integers(
          "size", "The output's height and width.", .atLeast(1), .sizeLimit, .minimumCount(2),
          .maximumCount(2)),
        .layout,
      ])
  }

  /// Makes the operator.
  package init(dimensions: [Int], layout: DataLayout) {
    self.dimensions = dimensions
    self.layout = layout
  }
}

extension CenterCrop {
  package init(reading attributes: inout AttributeReader) throws(WeighbridgeError) {
    dimensions = try attributes.integers("size")
    layout = try attributes.word("layout")
    if let problem = Resizing.problem(dimensions) { throw attributes.malformed(problem) }
    guard dimensions.count == 2 else {
      throw attributes.malformed("\(dimensions.count) spatial axes, and an image has two")
    }
  }

  /// What is done with inputs that are too small.
  private var resizing: Resizing {
    Resizing(
      dimensions: dimensions, interpolation: .bilinear, antialiases: false, fit: .crop,
      layout: layout)
  }

  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    try resizing.outputTypes(of: inputs)
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    var result = inputs[0]
    let axes = Array(layout.spatialAxes(rank: result.shape.count))
    let rests = zip(axes, dimensions).map { result.shape[$0] - $1 }
    guard rests.allSatisfy({ $0 >= 0 }) else {
      return try resizing.evaluate(inputs, workers: workers)
    }
    for (number, axis) in axes.enumerated() {
      let start = rests[number] / 2
      result = result.slice(start..<start + dimensions[number], along: axis)
    }
    return [result]
  }

  package var tolerance: Tolerance { .standard(for: .float32) }

  package var cost: OperatorCost { .elements }

  package func permutingAxes(_ axes: [Int]) -> CenterCrop? {
    guard axes.count == dimensions.count + 2, let layout = layout.permuted(by: axes) else {
      return nil
    }
    return CenterCrop(dimensions: dimensions, layout: layout)
  }

  package var decomposition: Decomposition {
    Composition.of { [self] (make) throws(WeighbridgeError) in
      var result = make.inputs[0]
      let axes = layout.spatialAxes(rank: dimensions.count + 2)
      for (axis, size) in zip(axes, dimensions) where try make.size(result, axis: axis) < size {
        return try make(
          Resizing(
            dimensions: dimensions, interpolation: .bilinear, antialiases: false, fit: .crop,
            layout: layout), result)
      }
      for (axis, size) in zip(axes, dimensions) {
        let start = (try make.size(result, axis: axis) - size) / 2
        result = try make.part(result, start..<start + size, axis: axis)
      }
      return result
    }
  }
}
