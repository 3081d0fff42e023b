package import Bytes
package import GraphIR

/// An operator that makes one element of all elements of a channel.
///
/// - input: `[batch, spatial..., channels]` or `[batch, channels, spatial...]`, by `layout`, with
///   any number of spatial axes but none
/// - output: `[batch, channels]`, or the input's axes with the spatial ones of size 1
///
/// What follows from that, and so is the same for all of them, is defined here.
package protocol GlobalPoolingOperator: CatalogOperator {
  /// Whether the output keeps the spatial axes, with the size 1.
  var keepDims: Bool { get }
  /// The order of the input's axes.
  var layout: DataLayout { get }

  /// Makes the operator.
  init(keepDims: Bool, layout: DataLayout)

  /// The output's element for all elements of one channel of one image.
  func pool(_ plane: ArraySlice<Double>) -> Double
}

extension GlobalPoolingOperator {
  package var inputs: [InputSlot] { [.data("input")] }

  package var attributes: Attributes {
    ["keepdims": .flag(keepDims), "layout": .text(layout.rawValue)]
  }

  package init(reading attributes: inout AttributeReader) throws(WeighbridgeError) {
    self.init(
      keepDims: try attributes.flag("keepdims"), layout: try attributes.word("layout"))
  }

  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    let input = inputs[0]
    guard input.rank >= 3, input.elementType.isFloat else {
      throw ShapeError("takes an image tensor of floating-point numbers and has \(input)")
    }
    guard keepDims else {
      return [
        input.with(shape: [input.shape[0], input.shape[layout.channelAxis(rank: input.rank)]])
      ]
    }
    var output = input
    for axis in layout.spatialAxes(rank: input.rank) { output.shape[axis] = 1 }
    return [output]
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    let turned = inputs[0].permuted(layout.axesToChannelsFirst(rank: inputs[0].shape.count))
    let elements = turned.doubles
    let size = turned.shape[2...].reduce(1, *)
    let planes = workers.map(turned.shape[0] * turned.shape[1]) { index in
      pool(elements[index * size..<(index + 1) * size])
    }
    return [Tensor(inputs[0].elementType, shape: try outputShape(of: inputs), planes)]
  }

  package func permutingAxes(_ axes: [Int]) -> Self? {
    // Without the spatial axes, the output has no axes to permute.
    guard keepDims, axes.count >= 3, let layout = layout.permuted(by: axes) else { return nil }
    return Self(keepDims: keepDims, layout: layout)
  }

  package var decomposition: Decomposition { .primitive }
}
