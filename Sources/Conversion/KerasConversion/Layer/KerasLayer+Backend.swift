import Bytes
import GraphIR
import KerasFormat
import LayerCatalog

/// The padding of most layers with windows, in Keras' terms.
enum KerasPadding: String, CaseIterable { case valid, same }

/// The parts that depend on the backend on which Keras ran.
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
    let reaches = window.size.indices.map { window.reach($0) }
    switch backend {
    case .tensorflow: return .same
    case .theano:
      // Half of the kernel in front; at the end, as much as gives ceil(size / stride) positions.
      return .explicit(before: reaches.map { $0 / 2 }, after: reaches.map { ($0 - 1) / 2 })
    case .cntk: return try samePaddingOfCNTK(reaches, window.strides)
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
      // In three dimensions, Keras before 2.1.6 forgot to cut off the surplus at the end.
      let isUncut =
        size.count == 3 && version >= KerasVersion(2, 0) && version < KerasVersion(2, 1, 6)
      let after = isUncut ? before : zip(size, before).map { $0 - 1 - $1 }
      return .explicit(before: before, after: after)
    case .cntk: return try samePaddingOfCNTK(size, strides)
    }
  }

  /// CNTK's padding `same`: the window is centred on its element, an even one with the larger half
  /// after it.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` for larger strides: CNTK then spreads the
  ///   positions evenly over the input, so that the padding depends on its size.
  private func samePaddingOfCNTK(
    _ reaches: [Int], _ strides: [Int]
  ) throws(WeighbridgeError) -> WindowPadding {
    guard strides.allSatisfy({ $0 <= 2 }) else {
      throw .unsupported(
        "strides=\(strides) with padding=same, which CNTK pads by the input's size")
    }
    return .explicit(before: reaches.map { ($0 - 1) / 2 }, after: reaches.map { $0 / 2 })
  }
}

extension Tensor {
  /// The same elements in reverse order along all axes from one on, if that is wanted. Copies
  /// nothing.
  func flipped(from axis: Int, if isWanted: Bool) -> Tensor {
    isWanted ? reversed(along: axis..<shape.count) : self
  }
}
