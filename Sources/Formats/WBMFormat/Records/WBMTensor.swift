package import Bytes
package import Digests
package import TensorEncoding

/// One array stored in the file.
package struct WBMTensor: Hashable, Sendable {
  /// The tensor's name, unique among the tensors of the file.
  package var name: String
  /// The type of its elements.
  package var elementType: ElementType
  /// How the elements are laid down.
  package var encoding: TensorEncoding
  /// The size of each axis, outermost first; empty for a scalar.
  package var shape: [Int]
  /// The first byte, counted from the start of the tensor data; the writer sets it.
  package var offset: Int
  /// The number of bytes; the writer sets it where it follows from the shape.
  package var byteCount: Int
  /// The digest of the bytes; the writer sets it, and in a header that was read it is never `nil`.
  package var digest: XXH3Digest?
  /// The digest of the decoded elements; `nil` for plain ones.
  package var decodedDigest: XXH3Digest?

  /// Describes a tensor to be written; its place and digest follow from the writing.
  package init(name: String, elementType: ElementType, shape: [Int]) {
    self.name = name
    self.elementType = elementType
    encoding = .plain
    self.shape = shape
    offset = 0
    byteCount = 0
  }

  /// Describes a tensor whose elements are encoded.
  package init(
    name: String, _ elements: EncodedElements, decodedDigest: XXH3Digest
  ) {
    self.init(name: name, elementType: elements.elementType, shape: elements.shape)
    encoding = elements.encoding
    byteCount = elements.byteCount
    self.decodedDigest = decodedDigest
  }
}
