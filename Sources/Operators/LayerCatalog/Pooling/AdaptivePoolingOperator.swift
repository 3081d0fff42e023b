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
package protocol AdaptivePoolingOperator: FormulaOperator, ImageOperator {
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

  /// The elements of an axis of `inputSize` elements that an output element covers.
  package func range(_ output: Int, from inputSize: Int, to outputSize: Int) -> Range<Int> {
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

  package func formula(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    var x = make.inputs[0]
    for (axis, count) in zip(layout.spatialAxes(rank: dimensions.count + 2), dimensions) {
      x = try pooled(x, axis: axis, to: count, &make)
    }
    return x
  }

  /// Pools along one axis at a time, which is possible since the windows are rectangular: equal parts
  /// at once, and windows of different sizes one by one.
  private func pooled(
    _ x: ValueID, axis: Int, to count: Int, _ make: inout Composition
  ) throws(WeighbridgeError) -> ValueID {
    let size = try make.size(x, axis: axis)
    if size == count { return x }
    // Core ML has at most five axes.
    if size % count == 0, make.type(x).rank < 5 {
      var parts = make.type(x).shape.indices.map { ReshapeAxes.Size.axis($0) }
      parts.replaceSubrange(axis...axis, with: [.fixed(count), .fixed(size / count)])
      for later in parts.indices where later > axis + 1 { parts[later] = .axis(later - 1) }
      let reduction = Reduce(Self.function, axes: [axis + 1], keepDims: false)
      return try make(reduction, try make(ReshapeAxes(parts), x))
    }
    guard count <= Self.maximumWindows else {
      throw .unsupported(
        "cannot pool axis \(axis) to \(count.counted("element")); the limit is \(Self.maximumWindows)"
      )
    }
    let reduction = Reduce(Self.function, axes: [axis], keepDims: true)
    var windows: [ValueID] = []
    for output in 0..<count {
      let window = try make.slice(x, range(output, from: size, to: count), axis: axis)
      windows.append(try make(reduction, window))
    }
    return count == 1 ? windows[0] : try make.apply(Concatenate(axis: axis), windows)
  }

  /// The largest number of windows along an axis; each becomes two nodes.
  private static var maximumWindows: Int { 1 << 16 }
}
