package import Bytes

/// The elements of a tensor as they are stored: an encoding, and bytes.
package struct EncodedElements: Sendable {
  /// The encoding of the elements.
  package let encoding: TensorEncoding
  /// The type of the decoded elements.
  package let elementType: ElementType
  /// The size of each axis, outermost first.
  package let shape: [Int]
  /// The store that contains the encoded bytes.
  package let store: ByteStore
  /// The range of the encoded bytes in the store.
  package let range: Range<Int>

  /// Makes elements whose bytes are already in a store.
  package init(
    _ encoding: TensorEncoding, _ elementType: ElementType, shape: [Int], store: ByteStore,
    range: Range<Int>
  ) {
    self.encoding = encoding
    self.elementType = elementType
    self.shape = shape
    self.store = store
    self.range = range
  }

  /// Makes elements in memory.
  package init(
    _ encoding: TensorEncoding, _ elementType: ElementType, shape: [Int], bytes: [UInt8]
  ) {
    self.init(
      encoding, elementType, shape: shape, store: ByteStore(bytes), range: 0..<bytes.count)
  }

  /// The number of stored bytes.
  package var byteCount: Int { range.count }

  /// Calls `body` with the stored bytes.
  package func withBytes<Result, Failure: Error>(
    _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try store.withBytes { (bytes) throws(Failure) in try body(bytes.extracting(range)) }
  }

  /// Decodes the elements, in row-major order and little-endian.
  ///
  /// - Throws: As ``TensorEncoding/decode(_:_:shape:)``.
  package func decoded() throws(WeighbridgeError) -> [UInt8] {
    try withBytes { (bytes) throws(WeighbridgeError) in
      try encoding.decode(bytes, elementType, shape: shape)
    }
  }
}
