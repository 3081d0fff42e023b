import Bytes

// The place of each tensor follows from the sizes alone: in the table's order, each at the next
// multiple of 64.

extension WBMHeader {
  /// Sets each tensor's size and offset.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when a size does not fit.
  mutating func layOut() throws(WeighbridgeError) {
    var end = 0
    for index in tensors.indices {
      tensors[index].offset = try WBMPreamble.aligned(end)
      tensors[index].byteCount = try tensors[index].expectedByteCount()
      end = try Checked.sum(
        tensors[index].offset, tensors[index].byteCount, of: "the size of the tensor data")
    }
  }

  /// Checks that the tensors lie where they must and fill the tensor data.
  ///
  /// - Parameter byteCount: The size of the tensor data in the file.
  /// - Throws: ``WeighbridgeError/Code/malformed``.
  func checkLayout(byteCount: Int) throws(WeighbridgeError) {
    var end = 0
    for (index, tensor) in tensors.enumerated() {
      let expected = try WBMPreamble.aligned(end)
      guard tensor.offset == expected else {
        let what =
          tensor.offset % WBMPreamble.alignment != 0
          ? "is not aligned to 64 bytes"
          : tensor.offset < expected ? "overlaps what is before it" : "leaves a hole before it"
        throw Self.malformed(
          "\(tensor.title(index)) \(what): it is at \(tensor.offset), expected \(expected)")
      }
      let size = try tensor.expectedByteCount()
      guard tensor.byteCount == size else {
        throw Self.malformed(
          "\(tensor.title(index)) has \(tensor.byteCount) bytes, and its shape \(tensor.shape) of \(tensor.elementType) needs \(size)"
        )
      }
      end = try Checked.sum(expected, size, of: "the size of the tensor data")
    }
    guard end == byteCount else {
      throw Self.malformed("the tensors take \(end) bytes, and the file has \(byteCount) for them")
    }
  }

  static func malformed(_ reason: String) -> WeighbridgeError {
    WeighbridgeError(.malformed, reason)
  }
}

extension WBMTensor {
  /// What messages call the tensor: `tensor #3 conv1/kernel`.
  func title(_ index: Int) -> String { "tensor #\(index) \(name)" }

  /// The size that shape and element type ask for.
  func expectedByteCount() throws(WeighbridgeError) -> Int {
    try Checked.product(shape + [elementType.byteCount], of: "the size of tensor \(name)")
  }
}
