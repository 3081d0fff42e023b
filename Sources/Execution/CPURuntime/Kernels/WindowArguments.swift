import CKernels
import LayerCatalog

/// A window on given sizes, as kernels take it: what stands over behind the last position is negative
/// padding.
struct WindowArguments: Sendable {
  private let size: [Int64]
  private let strides: [Int64]
  private let dilation: [Int64]
  private let before: [Int64]
  private let after: [Int64]

  /// - Parameter dimensions: The spatial sizes of the input.
  /// - Returns: `nil` when the window does not fit.
  init?(_ window: Window, dimensions: [Int]) {
    var (before, after) = ([Int64](), [Int64]())
    for (axis, dimension) in dimensions.enumerated() {
      guard let place = try? window.placement(axis, dimension: dimension) else { return nil }
      let reach = (window.size[axis] - 1) * window.dilation[axis] + 1
      let end = (place.count - 1) * window.strides[axis] + reach
      before.append(Int64(place.before))
      after.append(Int64(end - dimension - place.before))
    }
    self.init(window, before: before, after: after)
  }

  /// The window of a transposed convolution: the padding is what is taken away from what the input is
  /// spread to, and what is added behind is negative.
  init(spreading window: Window, from dimensions: [Int], to targets: [Int]) {
    var (before, after) = ([Int64](), [Int64]())
    for (axis, (dimension, target)) in zip(dimensions, targets).enumerated() {
      let reach = (window.size[axis] - 1) * window.dilation[axis] + 1
      let front = if case .explicit(let before, _) = window.padding { before[axis] } else { 0 }
      before.append(Int64(front))
      after.append(Int64((dimension - 1) * window.strides[axis] + reach - front - target))
    }
    self.init(window, before: before, after: after)
  }

  private init(_ window: Window, before: [Int64], after: [Int64]) {
    size = window.size.map(Int64.init)
    strides = window.strides.map(Int64.init)
    dilation = window.dilation.map(Int64.init)
    (self.before, self.after) = (before, after)
  }

  /// Calls `body` with what kernels take, which is valid during the call.
  func withArguments<Result>(_ body: (kernels_window) -> Result) -> Result {
    size.withUnsafeBufferPointer { size in
      strides.withUnsafeBufferPointer { strides in
        dilation.withUnsafeBufferPointer { dilation in
          before.withUnsafeBufferPointer { before in
            after.withUnsafeBufferPointer { after in
              body(
                kernels_window(
                  size: size.baseAddress, strides: strides.baseAddress,
                  dilation: dilation.baseAddress, before: before.baseAddress,
                  after: after.baseAddress))
            }
          }
        }
      }
    }
  }
}
