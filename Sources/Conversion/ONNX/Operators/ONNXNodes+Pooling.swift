import Bytes
import GraphIR
import LayerCatalog
import ONNXFormat

extension ONNXNodes {
  /// Windows without weights.
  static let pooling: [String: ONNXLayer.Build] = [
    "AveragePool": { (layer) throws(WeighbridgeError) in
      let input = try layer.input()
      let countsPadding = try layer.flag("count_include_pad")
      let window = try layer.poolingWindow(layer.type(input), rounding: !countsPadding)
      if !countsPadding, window.mayLieInPadding {
        throw layer.unsupported("a mean of nothing but padding")
      }
      let operation = AveragePooling(
        window: window, countsPadding: countsPadding, layout: .channelsFirst)
      return [try layer.apply(operation, to: input)]
    },
    "GlobalAveragePool": plain { GlobalAveragePooling(keepsAxes: true, layout: .channelsFirst) },
    "GlobalMaxPool": plain { GlobalMaxPooling(keepsAxes: true, layout: .channelsFirst) },
    "MaxPool": { (layer) throws(WeighbridgeError) in
      let input = try layer.input()
      layer.ignore("storage_order")
      guard layer.node.outputs.count < 2 || layer.node.outputs[1].isEmpty else {
        throw layer.unsupported("the places of the largest elements")
      }
      let window = try layer.poolingWindow(layer.type(input), rounding: true)
      return [try layer.apply(MaxPooling(window: window, layout: .channelsFirst), to: input)]
    },
  ]
}

extension ONNXLayer {
  /// The window of `kernel_shape`.
  ///
  /// - Parameter rounding: Whether a number of positions that is rounded up (`ceil_mode`) can be
  ///   had by more padding.
  fileprivate mutating func poolingWindow(
    _ input: TensorType, rounding: Bool
  ) throws(WeighbridgeError) -> Window {
    guard let size = try integers("kernel_shape") else { throw malformed("no kernel_shape") }
    let roundsUp = try flag("ceil_mode")
    let window = try window(size: size, input: input)
    guard roundsUp else { return window }
    let extents = input.shape.dropFirst(2).compactMap(\.value)
    guard extents.count == size.count else {
      throw unsupported("ceil_mode where the input's extents are not known: \(input)")
    }
    var (before, after) = ([Int](), [Int]())
    for (axis, extent) in extents.enumerated() {
      let own = window.borders(axis)
      let (reach, stride) = (
        (size[axis] - 1) * window.dilation[axis] + 1, window.strides[axis]
      )
      let room = max(0, extent + own.before + own.after - reach)
      var last = (room + stride - 1) / stride * stride
      // No position begins behind the input and what is in front of it.
      if last >= extent + own.before { last -= stride }
      before.append(own.before)
      after.append(max(own.after, last + reach - extent - own.before))
    }
    let rounded = Window(
      size: size, strides: window.strides, dilation: window.dilation,
      padding: .explicit(before: before, after: after))
    guard rounding || after == extents.indices.map({ window.borders($0).after }) else {
      throw unsupported("ceil_mode together with count_include_pad")
    }
    return rounded
  }
}

extension Window {
  /// What is added at the ends of an axis, where it is said in numbers.
  fileprivate func borders(_ axis: Int) -> (before: Int, after: Int) {
    guard case .explicit(let before, let after) = padding else { return (0, 0) }
    return (before[axis], after[axis])
  }
}
