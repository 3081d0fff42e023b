package import Bytes

/// A named array: the contents of a `.npy` file or of a member of a `.npz` file.
///
/// The elements are little-endian and in row-major order. They may not be aligned, so they are read
/// with unaligned loads.
package struct NumPyArray: Sendable {
  /// The name inside the `.npz` file, without `.npy`; empty for an array of a `.npy` file.
  package var name: String
  /// The type of the elements.
  package let elementType: ElementType
  /// The size of each axis, outermost first; empty for a scalar.
  package let shape: [Int]
  /// The store of the elements: the mapped file if its bytes are in this format, otherwise memory.
  package let storage: ByteStore
  /// The range of the elements in ``storage``.
  package let range: Range<Int>

  /// Creates an array whose elements are in `range` of `storage`.
  ///
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when the range does not have the array's size.
  package init(
    name: String, elementType: ElementType, shape: [Int], storage: ByteStore, range: Range<Int>
  ) throws(WeighbridgeError) {
    let size = try Checked.product(shape + [elementType.byteCount], of: "the size of array \(name)")
    guard range.count == size, range.lowerBound >= 0, range.upperBound <= storage.count else {
      throw .mismatch(
        "array \(name) of shape \(shape) and type \(elementType) needs \(size) bytes, but \(range.count) were given"
      )
    }
    self.name = name
    self.elementType = elementType
    self.shape = shape
    self.storage = storage
    self.range = range
  }

  /// Creates an array from bytes in memory.
  ///
  /// - Throws: As ``init(name:elementType:shape:storage:range:)``.
  package init(
    name: String, elementType: ElementType, shape: [Int], bytes: [UInt8]
  ) throws(WeighbridgeError) {
    try self.init(
      name: name, elementType: elementType, shape: shape, storage: ByteStore(bytes),
      range: 0..<bytes.count)
  }

  /// Calls `body` with the elements' bytes.
  package func withBytes<Result, Failure: Error>(
    _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try storage.withBytes { (bytes) throws(Failure) in try body(bytes.extracting(range)) }
  }
}
