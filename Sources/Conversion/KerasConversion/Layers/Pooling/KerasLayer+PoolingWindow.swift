import Bytes
import GraphIR
import LayerCatalog

extension KerasLayer {
  /// The window of a pooling layer: `pool_size`, `strides` (the window's size when absent) and
  /// `padding`.
  mutating func poolingWindow(axes: Int) throws(WeighbridgeError) -> Window {
    let two = [Int](repeating: 2, count: axes)
    let size = try integers("pool_size", count: axes, default: two)
    let strides = try integers("strides", count: axes, default: size)
    let padding: WindowPadding =
      switch try word("padding", default: KerasPadding.valid) {
      case .valid: .valid
      case .same: try samePoolingPadding(size: size, strides: strides)
      }
    let window = Window(
      size: size, strides: strides, dilation: size.map { _ in 1 }, padding: padding)
    if let problem = window.problem { throw WeighbridgeError(.malformed, problem) }
    return window
  }
}

private enum KerasPadding: String, CaseIterable { case valid, same }
