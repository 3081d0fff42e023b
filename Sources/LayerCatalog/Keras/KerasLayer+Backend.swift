import Bytes
import GraphIR

/// What depends on the backend that Keras ran on.
extension KerasLayer {
  /// Whether the file's kernels are turned by 180 degrees before they slide over the input. (Keras
  /// 2 turns them when it loads a file of another backend.)
  var turnsKernels: Bool { backend == .theano }

  /// The padding `same` of a convolution.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` where it is not known how the backend pads.
  func samePadding(
    size: [Int], strides: [Int], dilation: [Int]
  ) throws(WeighbridgeError) -> WindowPadding {
    let reaches = zip(size, dilation).map { ($0 - 1) * $1 + 1 }
    switch backend {
    case .tensorflow: return .same
    case .theano:
      // Half of the kernel in front; behind, as much as gives ceil(extent / stride) positions.
      return .explicit(before: reaches.map { $0 / 2 }, after: reaches.map { ($0 - 1) / 2 })
    case .cntk: return try samePaddingOfCNTK(reaches, strides)
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
      return .explicit(before: before, after: zip(size, before).map { $0 - 1 - $1 })
    case .cntk: return try samePaddingOfCNTK(size, strides)
    }
  }

  /// With an odd reach and steps of 1 there is only one way to pad.
  private func samePaddingOfCNTK(
    _ reaches: [Int], _ strides: [Int]
  ) throws(WeighbridgeError) -> WindowPadding {
    guard reaches.allSatisfy({ $0 % 2 == 1 }), strides.allSatisfy({ $0 == 1 }) else {
      throw WeighbridgeError(
        .unsupported,
        "pads as CNTK does, which is known only for windows of odd extents and strides of 1")
    }
    return .same
  }
}

extension Tensor {
  /// The same elements in reverse order along all axes from one on, if that is wanted. Copies
  /// nothing.
  func turned(from axis: Int, if isWanted: Bool) -> Tensor {
    isWanted ? reversed(along: axis..<shape.count) : self
  }
}
