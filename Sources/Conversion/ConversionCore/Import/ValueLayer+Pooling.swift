package import Bytes
package import GraphIR
package import LayerCatalog

/// Windows whose number is rounded up, as PyTorch, ONNX and Core ML have it (`ceil_mode`).
extension ValueLayer {
  /// Extends the padding at the end of each axis so that the number of windows is rounded up.
  ///
  /// - Parameters:
  ///   - window: A window that is not padded to the size of its input.
  ///   - input: `[batch, channels, sizes...]`
  /// - Returns: The window, and how much of its padding at the end of each axis is there only because of
  ///   the rounding; `nil` when a size is not known.
  package func roundedUp(
    _ window: Window, _ input: TensorType
  ) throws(WeighbridgeError) -> (window: Window, excess: [Int])? {
    let dimensions = input.shape.dropFirst(2).compactMap(\.value)
    guard dimensions.count == window.size.count else { return nil }
    var (before, after, excess) = ([Int](), [Int](), [Int]())
    for (axis, dimension) in dimensions.enumerated() {
      let borders = window.borders(axis)
      let (dilatedSize, stride) = (
        (window.size[axis] - 1) * window.dilation[axis] + 1, window.strides[axis]
      )
      let span = dimension + borders.before + borders.after - dilatedSize
      guard span > -stride else {
        throw malformed("has a window of \(dilatedSize) elements, which does not fit \(dimension)")
      }
      var last = (span + stride - 1) / stride * stride
      // No window starts after the end of the input with its leading padding.
      if last >= dimension + borders.before { last -= stride }
      before.append(borders.before)
      after.append(max(borders.after, last + dilatedSize - dimension - borders.before))
      excess.append(after[axis] - borders.after)
    }
    let rounded = Window(
      size: window.size, strides: window.strides, dilation: window.dilation,
      padding: .explicit(before: before, after: after))
    return (rounded, excess)
  }

  /// Adds averages that include the padding, except for the part that is there only because the
  /// number of windows is rounded up.
  package mutating func averagePooling(
    _ input: SourceValue, _ window: Window, _ excess: [Int]
  ) throws(WeighbridgeError) -> SourceValue {
    let borders = window.size.indices.map { window.borders($0) }
    let padding = Pad(
      before: [0, 0] + borders.map(\.before),
      after: [0, 0] + zip(borders, excess).map { $0.after - $1 }, mode: .constant)
    let padded = try apply(padding, to: input, role: "pad")
    let excessWindow = Window(
      size: window.size, strides: window.strides, dilation: window.dilation,
      padding: .explicit(before: excess.map { _ in 0 }, after: excess))
    if excessWindow.mayLieInPadding {
      throw unsupported(
        "has a window that lies in the padding alone and has no mean, and only smaller paddings can be read"
      )
    }
    return try apply(
      AveragePooling(window: excessWindow, countIncludePad: false, layout: .channelsFirst),
      to: padded)
  }
}

extension Window {
  /// Returns the padding at both ends of an axis if it is explicit, otherwise 0.
  fileprivate func borders(_ axis: Int) -> (before: Int, after: Int) {
    guard case .explicit(let before, let after) = padding else { return (0, 0) }
    return (before[axis], after[axis])
  }
}
