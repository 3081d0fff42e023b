package import Bytes
package import GraphIR

/// An operator that pools to given sizes of the spatial axes: each output element is computed from
/// the window of elements that it covers.
///
/// - input: `[batch, spatial..., channels]` or `[batch, channels, spatial...]`, by `layout`
/// - output: the same with these sizes
///
/// Element o of an axis covers the input's elements from floor(o I/O) up to ceil((o + 1) I/O) - 1,
/// where I is the input's size and O the output's; windows may overlap.
package protocol AdaptivePoolingOperator: ImageOperator {
  /// The sizes of the output's spatial axes, 1 to 2^24 each.
  var dimensions: [Int] { get }

  /// Creates the operator.
  init(dimensions: [Int], layout: DataLayout)

  /// The reduction of the elements of a window, which has at least one.
  static var function: Reduce.Function { get }
}

extension AdaptivePoolingOperator {
  /// The attributes in which the settings are stored.
  static var attributeSchema: AttributeSchema<Self> {
    AttributeSchema(
      Self.init(dimensions:layout:),
      .spatialSizes("output_size", \.dimensions),
      .layout(\.layout))
  }

  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    [try inputs[0].replacingSpatialAxes(layout, by: dimensions, "pooled")]
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    let rank = inputs[0].shape.count
    let shape = try outputShape(of: inputs)
    let transposed = inputs[0].permuted(layout.axesToChannelsFirst(rank: rank))
    let inputDimensions = Array(transposed.shape[2...])
    let (elements, size) = (transposed.doubles, inputDimensions.reduce(1, *))
    let planes = workers.map(transposed.shape[0] * transposed.shape[1]) { index in
      pool(Array(elements[index * size..<(index + 1) * size]), dimensions: inputDimensions)
    }
    let output = Tensor(
      inputs[0].elementType, shape: Array(transposed.shape[..<2]) + dimensions,
      planes.flatMap { $0 })
    let result = output.permuted(layout.axesFromChannelsFirst(rank: rank))
    precondition(result.shape == shape)
    return [result]
  }

  /// Pools one channel of one image.
  private func pool(_ plane: [Double], dimensions inputDimensions: [Int]) -> [Double] {
    let strides = Tensor.rowMajorStrides(inputDimensions)
    // The offsets of the elements of each output element's window, extended axis by axis.
    var windows: [[Int]] = [[0]]
    for axis in inputDimensions.indices {
      let ranges = (0..<dimensions[axis]).map {
        range($0, from: inputDimensions[axis], to: dimensions[axis])
      }
      windows = windows.flatMap { window in
        ranges.map { range in
          window.flatMap { start in range.map { start + $0 * strides[axis] } }
        }
      }
    }
    let reduction = Reduce(Self.function, axes: [], keepDims: false)
    return windows.map { window in reduction.reduce(window.map { plane[$0] }[...]) }
  }

  /// The elements of an axis of `inputSize` elements that an output element covers.
  private func range(_ output: Int, from inputSize: Int, to outputSize: Int) -> Range<Int> {
    let start = output * inputSize / outputSize
    let end = ((output + 1) * inputSize + outputSize - 1) / outputSize
    return start..<end
  }

  package func permutingAxes(_ axes: [Int]) -> Self? {
    guard axes.count == dimensions.count + 2, let layout = layout.permuted(by: axes) else {
      return nil
    }
    return Self(dimensions: dimensions, layout: layout)
  }

  package var decomposition: Decomposition {
    Composition.of { [self] (make) throws(WeighbridgeError) in
      var x = make.inputs[0]
      for (axis, count) in zip(layout.spatialAxes(rank: dimensions.count + 2), dimensions) {
        x = try pooled(x, axis: axis, to: count, &make)
      }
      return x
    }
  }

  /// Pools along one axis at a time, which is possible since the windows are rectangular.
  private func pooled(
    _ x: ValueID, axis: Int, to count: Int, _ make: inout Composition
  ) throws(WeighbridgeError) -> ValueID {
    let size = try make.size(x, axis: axis)
    if size == count { return x }
    guard count <= 1 << 10 else {
      throw .unsupported("cannot pool axis \(axis) to \(count) elements; the limit is \(1 << 10)")
    }
    var windows: [ValueID] = []
    for output in 0..<count {
      let window = try make.slice(x, range(output, from: size, to: count), axis: axis)
      windows.append(try make(Reduce(Self.function, axes: [axis], keepDims: true), window))
    }
    return count == 1 ? windows[0] : try make.apply(Concatenate(axis: axis), windows)
  }
}
