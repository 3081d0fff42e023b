package import Bytes
package import TensorEncoding

extension Tensor {
  /// A tensor of encoded elements that are decoded when they are first needed.
  ///
  /// - Parameter decode: Returns the elements, row-major and little-endian, exactly filling the
  ///   shape.
  package init(
    _ elements: EncodedElements,
    decode: @escaping @Sendable () throws(WeighbridgeError) -> [UInt8]
  ) throws(WeighbridgeError) {
    let size = try Checked.product(
      elements.shape + [elements.elementType.byteCount], of: "the size of a tensor")
    try self.init(
      elements.elementType, shape: elements.shape,
      store: ByteStore(count: size, of: elements, decode), range: 0..<size)
  }

  /// A tensor of encoded elements that are decoded when they are first needed.
  package init(_ elements: EncodedElements) throws(WeighbridgeError) {
    try self.init(elements) { () throws(WeighbridgeError) in try elements.decoded() }
  }

  /// The encoded elements, if the tensor is all of them in their own order.
  package var encodedElements: EncodedElements? {
    guard let elements = store.origin as? EncodedElements, isContiguous, offset == 0,
      elements.shape == shape, elements.elementType == elementType
    else { return nil }
    return elements
  }

  /// Returns the memory of the encoded elements to the system if they are in a mapped file.
  package func releaseEncodedMemory() {
    guard let elements = store.origin as? EncodedElements else { return }
    elements.store.release(elements.range)
  }

  /// The size of the elements as stored, in bytes: less than ``byteCount`` when they are encoded.
  package var storedByteCount: Int { encodedElements?.byteCount ?? byteCount }
}

extension Graph {
  /// Decodes the encoded constants, so that damaged data causes an error and not wrong numbers.
  ///
  /// - Throws: ``WeighbridgeError/Code/damaged``, ``WeighbridgeError/Code/malformed``.
  package func decodeConstants() throws(WeighbridgeError) {
    let encoded = encodedConstants
    // The chunks of one tensor are decoded in parallel; this does the same for small tensors.
    _ = Workers(count: Workers.processorCount).map(encoded.count) { index in
      encoded[index].store.withBytes { _ in }
      encoded[index].releaseEncodedMemory()
    }
    try encoded.checkSourcesUnchanged()
  }

  /// The constants that are decoded when they are first needed, and again after their memory was
  /// released.
  package var encodedConstants: [Tensor] {
    values.compactMap(\.constant).filter { $0.store.origin != nil }
  }
}
