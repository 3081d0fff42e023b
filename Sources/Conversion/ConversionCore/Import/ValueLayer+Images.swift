package import Bytes
package import GraphIR
package import LayerCatalog

/// Operators on images that several formats share.
extension ValueLayer {
  /// Adds a transposed convolution whose output's spatial sizes are given.
  ///
  /// - Parameters:
  ///   - inputs: The image, the kernel `[in, out, spatial...]` and, if there is one, the bias.
  ///   - placed: The window, whose padding is that of the convolution that it undoes.
  ///   - targets: The spatial sizes of the output.
  package mutating func transposedConvolution(
    _ inputs: [SourceValue], _ placed: Window, to targets: [Int], groups: Int = 1,
    _ layout: DataLayout
  ) throws(WeighbridgeError) -> SourceValue {
    let (rank, shape) = (placed.size.count, type(inputs[0]).shape)
    let spatial = layout == .channelsLast ? shape.dropFirst().dropLast() : shape.dropFirst(2)
    let sizes = spatial.compactMap(\.value)
    guard sizes.count == rank, targets.count == rank else {
      throw unsupported(
        "enlarges \(type(inputs[0])) to sizes that are known only when the model runs, and only "
          + "known ones can be read")
    }
    var (before, after, extra) = ([Int](), [Int](), [Int]())
    for axis in 0..<rank {
      let (full, padding) = try transposedBorders(
        placed, axis, from: sizes[axis], to: targets[axis])
      before.append(padding)
      after.append(max(0, full - padding - targets[axis]))
      extra.append(max(0, targets[axis] - (full - padding)))
    }
    let window = Window(
      size: placed.size, strides: placed.strides, dilation: placed.dilation,
      padding: .explicit(before: before, after: after))
    let operation = TransposedConvolution(
      window: window, outputPadding: extra, groups: groups, hasBias: inputs.count > 2,
      layout: layout)
    return try apply(operation, inputs)[0]
  }

  /// The size of an axis before cropping, and how much is cropped at its beginning.
  private func transposedBorders(
    _ window: Window, _ axis: Int, from size: Int, to target: Int
  ) throws(WeighbridgeError) -> (full: Int, before: Int) {
    guard (1...1 << 32).contains(target), (1...1 << 32).contains(size) else {
      throw malformed(
        "enlarges an axis of \(size) elements to \(target), expected sizes from 1 to 2^32")
    }
    let full =
      (size - 1) * window.strides[axis] + (window.size[axis] - 1) * window.dilation[axis] + 1
    guard window.padding == .same else { return (full, 0) }
    do throws(ShapeError) {
      return (full, try window.placement(axis, dimension: target).before)
    } catch { throw malformed(error.reason) }
  }

  /// Repeats or selects rows and columns of an image of four axes.
  package mutating func nearest(
    _ image: SourceValue, _ sizes: [Int], _ grid: ResizingGrid,
    layout: DataLayout = .channelsLast
  ) throws(WeighbridgeError) -> SourceValue {
    let first = layout == .channelsLast ? 1 : 2
    let old = type(image).shape[first..<first + 2].compactMap(\.value)
    guard old.count == 2, old.allSatisfy({ $0 > 0 }), sizes.allSatisfy({ $0 <= 1 << 24 }) else {
      throw unsupported(
        "resizes \(type(image)) to \(sizes), expected a known height and width, and at most 2^24")
    }
    if type(image).elementType.isFloat,
      zip(old, sizes).allSatisfy({ grid.repeats(from: $0, to: $1) })
    {
      let factors = zip(sizes, old).map { $0 / $1 }
      return try apply(
        Upsampling(factors: factors, interpolation: .nearest, layout: layout), to: image)
    }
    var result = image
    for (axis, (size, old)) in zip(sizes, old).enumerated() {
      let indices = (0..<size).map { Double(grid.nearest($0, from: old, to: size)) }
      result = try apply(
        Gather(axis: axis + first), to: result,
        newConstant(Tensor(.int32, shape: [size], indices), "indices_\(axis)"),
        role: axis == 0 ? "rows" : "")
    }
    return result
  }
}
