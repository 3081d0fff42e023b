import CKernels
import LayerCatalog

/// A window on given sizes, as kernels take it: input beyond the last position is negative padding.
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
      guard let placement = try? window.placement(axis, dimension: dimension) else { return nil }
      let effectiveSize = (window.size[axis] - 1) * window.dilation[axis] + 1
      let end = (placement.count - 1) * window.strides[axis] + effectiveSize
      before.append(Int64(placement.before))
      after.append(Int64(end - dimension - placement.before))
    }
    self.init(window, before: before, after: after)
  }

  /// The window of a transposed convolution: the padding is cropped from the full output, and
  /// elements added at the end count negative.
  init(transposing window: Window, from dimensions: [Int], to targets: [Int]) {
    var (before, after) = ([Int64](), [Int64]())
    for (axis, (dimension, target)) in zip(dimensions, targets).enumerated() {
      let effectiveSize = (window.size[axis] - 1) * window.dilation[axis] + 1
      let leading = if case .explicit(let before, _) = window.padding { before[axis] } else { 0 }
      before.append(Int64(leading))
      after.append(Int64((dimension - 1) * window.strides[axis] + effectiveSize - leading - target))
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
    unsafe size.withUnsafeBufferPointer { size in
      unsafe strides.withUnsafeBufferPointer { strides in
        unsafe dilation.withUnsafeBufferPointer { dilation in
          unsafe before.withUnsafeBufferPointer { before in
            unsafe after.withUnsafeBufferPointer { after in
              unsafe body(
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
