package import Bytes
package import TensorEncoding

extension Tensor {
  /// A tensor of encoded elements, which are decoded when they are first needed.
  ///
  /// - Parameter decode: Gives the elements, row-major, little-endian, as many as the shape says.
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

  /// A tensor of encoded elements, which are decoded when they are first needed.
  package init(_ elements: EncodedElements) throws(WeighbridgeError) {
    try self.init(elements) { () throws(WeighbridgeError) in try elements.decoded() }
  }

  /// The elements as they are stored, when they are encoded and this is the whole tensor as it was.
  package var encodedElements: EncodedElements? {
    guard let elements = store.origin as? EncodedElements, isContiguous, offset == 0,
      elements.shape == shape, elements.elementType == elementType
    else { return nil }
    return elements
  }

  /// The bytes of the elements where they are stored: fewer than ``byteCount`` when they are encoded.
  package var storedByteCount: Int { encodedElements?.byteCount ?? byteCount }
}

extension Graph {
  /// Decodes the constants that are encoded, so that what cannot be decoded is an error and no
  /// wrong number.
  ///
  /// - Throws: ``WeighbridgeError/Code/damaged``, ``WeighbridgeError/Code/malformed``.
  package func decodeConstants() throws(WeighbridgeError) {
    let encoded = values.compactMap(\.constant).filter { $0.store.origin != nil }
    // A tensor's chunks are decoded side by side; so are small tensors.
    _ = Workers(count: Workers.processorCount).map(encoded.count) { index in
      encoded[index].store.withBytes { $0.byteCount }
    }
    try encoded.checkSourcesUnchanged()
  }
}
