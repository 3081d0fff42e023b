package import Bytes
package import GraphIR

/// The identity of a constant: its elements, or its location in memory if it has many elements.
package enum ConstantKey: Hashable {
  case elements(ElementType, shape: [Int], bytes: [UInt8])
  case location(ObjectIdentifier, offset: Int, shape: [Int], strides: [Int])

  /// The maximum number of elements that are compared.
  private static let comparedElementLimit = 1024

  package init(_ tensor: Tensor) {
    self =
      tensor.count <= Self.comparedElementLimit
      ? .elements(tensor.elementType, shape: tensor.shape, bytes: tensor.contiguousBytes())
      : .location(
        ObjectIdentifier(tensor.store), offset: tensor.offset, shape: tensor.shape,
        strides: tensor.strides)
  }
}
