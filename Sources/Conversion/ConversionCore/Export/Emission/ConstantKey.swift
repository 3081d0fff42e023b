package import Bytes
package import GraphIR

/// The identity of a constant: its elements, or its location in memory when it has many.
package enum ConstantKey: Hashable {
  case elements(ElementType, shape: [Int], bytes: [UInt8])
  case place(ObjectIdentifier, offset: Int, shape: [Int], strides: [Int])

  /// The largest number of elements that are compared.
  private static let mostCompared = 1024

  package init(_ tensor: Tensor) {
    self =
      tensor.count <= Self.mostCompared
      ? .elements(tensor.elementType, shape: tensor.shape, bytes: tensor.contiguousBytes())
      : .place(
        ObjectIdentifier(tensor.store), offset: tensor.offset, shape: tensor.shape,
        strides: tensor.strides)
  }
}
