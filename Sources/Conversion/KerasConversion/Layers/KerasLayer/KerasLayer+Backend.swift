import Bytes
import GraphIR
import KerasFormat
import LayerCatalog

/// The values of the setting `padding` of most layers with windows.
enum KerasPadding: String, CaseIterable { case valid, same }

/// What depends on the backend on which Keras ran.
extension KerasLayer {
  /// Whether the file's kernels are flipped along all spatial axes before the convolution. (Keras 2
  /// flips them when it loads a file of another backend.)
  var flipsKernels: Bool { backend == .theano }

  /// Whether an average includes the padding, as some versions of Keras do on Theano.
  var averagesPaddingOnTheano: Bool {
    backend == .theano && version >= KerasVersion(2, 0, 4) && version < KerasVersion(2, 1, 5)
  }

  /// The padding `same` of a convolution.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` where it is not known how the backend pads.
  func samePadding(of window: Window) throws(WeighbridgeError) -> WindowPadding {
    let effectiveSizes = window.size.indices.map { window.effectiveSize($0) }
    switch backend {
    case .tensorflow: return .same
    case .theano:
      // Half of the kernel before; after, as much as results in ceil(size / stride) positions.
      return .explicit(
        before: effectiveSizes.map { $0 / 2 }, after: effectiveSizes.map { ($0 - 1) / 2 })
    case .cntk: return try samePaddingOfCNTK(effectiveSizes, window.strides)
    }
  }

  /// The padding `same` of a pooling layer.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` where it is not known how the backend pads.
  func samePoolingPadding(
    size: [Int], strides: [Int]
  ) throws(WeighbridgeError) -> WindowPadding {
    switch backend {
    case .tensorflow: return .same
    case .theano:
      let before = size.map { $0 > 2 && $0 % 2 == 1 ? $0 - 2 : $0 - 1 }
      // In three dimensions, Keras before 2.1.6 does not crop the surplus at the end.
      let keepsSurplus =
        size.count == 3 && version >= KerasVersion(2, 0) && version < KerasVersion(2, 1, 6)
      let after = keepsSurplus ? before : zip(size, before).map { $0 - 1 - $1 }
      return .explicit(before: before, after: after)
    case .cntk: return try samePaddingOfCNTK(size, strides)
    }
  }

  /// CNTK's padding `same`: the window is centered on its element; of an even window, the larger
  /// half comes after it.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` for larger strides: CNTK then distributes the
  ///   positions evenly over the input, so that the padding depends on the input's size.
  private func samePaddingOfCNTK(
    _ effectiveSizes: [Int], _ strides: [Int]
  ) throws(WeighbridgeError) -> WindowPadding {
    guard strides.allSatisfy({ $0 <= 2 }) else {
      throw .unsupported(
        "strides=\(strides) with padding=same, which CNTK pads by the input's size")
    }
    return .explicit(
      before: effectiveSizes.map { ($0 - 1) / 2 }, after: effectiveSizes.map { $0 / 2 })
  }
}

extension Tensor {
  /// The same elements in reverse order along all axes from `axis` on, if the condition holds.
  /// Copies nothing.
  func flipped(from axis: Int, if condition: Bool) -> Tensor {
    condition ? reversed(along: axis..<shape.count) : self
  }
}
