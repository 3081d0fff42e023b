import Bytes
import TensorEncoding

// The offset of each tensor follows from the sizes alone: in the order of the table, each is at the
// next multiple of 64, or immediately after the previous one if its encoding is decoded
// sequentially.

extension WBMHeader {
  /// Sets each tensor's size and offset.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when a size does not fit.
  mutating func layOut() throws(WeighbridgeError) {
    var end = 0
    for index in tensors.indices {
      tensors[index].offset = try tensors[index].offset(after: end)
      tensors[index].byteCount = try tensors[index].expectedByteCount()
      end = try Checked.sum(
        tensors[index].offset, tensors[index].byteCount, of: "the size of the tensor data")
    }
  }

  /// Checks that the tensors are at the required offsets and fill the tensor data.
  ///
  /// - Parameter byteCount: The size of the tensor data in the file.
  /// - Throws: ``WeighbridgeError/Code/malformed``.
  func checkLayout(byteCount: Int) throws(WeighbridgeError) {
    var end = 0
    for (index, tensor) in tensors.enumerated() {
      let expected = try tensor.offset(after: end)
      guard tensor.offset == expected else {
        let what =
          tensor.offset % tensor.encoding.alignment != 0
          ? "is not aligned to 64 bytes"
          : tensor.offset < expected ? "overlaps what is before it" : "leaves a gap before it"
        throw Self.malformed(
          "\(tensor.title(index)) \(what): it is at \(tensor.offset), expected \(expected)")
      }
      do {
        try tensor.encoding.check(
          byteCount: tensor.byteCount, of: tensor.elementType, shape: tensor.shape)
      } catch {
        throw WeighbridgeError(error.code, "\(tensor.title(index)) \(error.reason)")
      }
      end = try Checked.sum(expected, tensor.byteCount, of: "the size of the tensor data")
    }
    guard end == byteCount else {
      throw Self.malformed("the tensors take \(end) bytes, but the file has \(byteCount) for them")
    }
  }

  static func malformed(_ reason: String) -> WeighbridgeError {
    WeighbridgeError(.malformed, reason)
  }
}

extension WBMTensor {
  /// The tensor's name in messages: `tensor #3 conv1/kernel`.
  func title(_ index: Int) -> String { "tensor #\(index) \(name)" }

  /// The size that follows from the shape, element type and encoding; the stored one if it depends
  /// on the elements.
  func expectedByteCount() throws(WeighbridgeError) -> Int {
    do {
      return try encoding.byteCount(of: elementType, shape: shape) ?? byteCount
    } catch {
      throw WeighbridgeError(error.code, "tensor \(name): \(error.reason)")
    }
  }

  /// The offset of the tensor when the one before it ends at `end`.
  fileprivate func offset(after end: Int) throws(WeighbridgeError) -> Int {
    encoding.alignment == 1 ? end : try WBMPreamble.aligned(end)
  }
}
