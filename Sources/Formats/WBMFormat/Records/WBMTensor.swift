package import Bytes
package import Digests
package import TensorEncoding

/// An array stored in the file.
package struct WBMTensor: Hashable, Sendable {
  /// The tensor's name, unique among the tensors of the file.
  package var name: String
  /// The type of its elements.
  package var elementType: ElementType
  /// The encoding of the elements.
  package var encoding: TensorEncoding
  /// The size of each axis, outermost first; empty for a scalar.
  package var shape: [Int]
  /// The offset of the first byte in the tensor data; the writer sets it.
  package var offset: Int
  /// The number of bytes; the writer sets it where it follows from the shape.
  package var byteCount: Int
  /// The digest of the bytes; the writer sets it, and it is never `nil` in a header that was read.
  package var digest: XXH3Digest?
  /// The digest of the decoded elements; `nil` for unencoded ones.
  package var decodedDigest: XXH3Digest?

  /// Creates the record of a tensor to be written; its offset and digest are set by the writer.
  package init(name: String, elementType: ElementType, shape: [Int]) {
    self.name = name
    self.elementType = elementType
    encoding = .plain
    self.shape = shape
    offset = 0
    byteCount = 0
  }

  /// Creates the record of a tensor whose elements are encoded.
  package init(
    name: String, _ elements: EncodedElements, decodedDigest: XXH3Digest
  ) {
    self.init(name: name, elementType: elements.elementType, shape: elements.shape)
    encoding = elements.encoding
    byteCount = elements.byteCount
    self.decodedDigest = decodedDigest
  }
}
