package import Bytes

/// The encoding of a tensor's elements as bytes. `Schemas/wbm.md`, "Encodings", specifies each
/// encoding exactly.
package enum TensorEncoding: Hashable, Sendable {
  /// Every element unchanged, row-major.
  case plain
  /// Wider floating-point elements stored in 16 bits.
  case half(HalfPrecision)
  /// The elements' bytes in planes, entropy-coded; lossless.
  case bytePlanes
  /// Integers of 2 to 8 bits, with a scale for each block.
  case linear(LinearIntegers)
  /// Indices into tables of numbers.
  case lookup(LookupTables)
  /// Integers of any size times a step, entropy-coded.
  case rans

  /// The name in messages and reports, for example `4-bit integers`.
  package var title: String {
    switch self {
    case .plain: "plain"
    case .half(let half): half.elementType.rawValue
    case .bytePlanes: "byte planes"
    case .linear(let linear): "\(linear.bits)-bit integers"
    case .lookup(let lookup): "\(lookup.bits)-bit lookup"
    case .rans: "entropy-coded integers"
    }
  }

  /// The alignment of a tensor's bytes in a file. Encodings that are decoded sequentially need
  /// none.
  package var alignment: Int {
    switch self {
    case .plain, .half, .linear, .lookup: 64
    case .bytePlanes, .rans: 1
    }
  }

  /// The largest ratio of the sizes of decoded and stored elements. No encoder exceeds it: even a
  /// chunk of 65,536 equal elements contains the states of its lanes.
  package static let largestExpansion = 2048

  /// Checks the number of stored bytes.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when it does not match the shape, or is so small
  ///   that decoding would take a disproportionate amount of memory.
  package func check(
    byteCount: Int, of elementType: ElementType, shape: [Int]
  ) throws(WeighbridgeError) {
    if let expected = try self.byteCount(of: elementType, shape: shape) {
      guard byteCount == expected else {
        throw .malformed(
          "has \(byteCount) bytes, but its shape \(shape) of \(elementType) needs \(expected)")
      }
      return
    }
    let size = try Checked.product(shape + [elementType.byteCount], of: "the size of a tensor")
    guard size / Self.largestExpansion <= byteCount else {
      throw .malformed(
        "has \(byteCount) bytes, which cannot hold its shape \(shape) of \(elementType)"
      )
    }
  }

  /// The number of stored bytes; `nil` where it depends on the elements.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` for parameters that do not fit the tensor.
  package func byteCount(of elementType: ElementType, shape: [Int]) throws(WeighbridgeError) -> Int?
  {
    let count = try Checked.product(shape + [elementType.byteCount], of: "the size of a tensor")
    switch self {
    case .plain: return count
    case .half(let half):
      try check(elementType.byteCount > 2 && elementType.isFloat, elementType)
      return count / elementType.byteCount * half.elementType.byteCount
    case .bytePlanes: return nil
    case .linear(let linear):
      try check(elementType.isFloat, elementType)
      return try linear.byteCount(shape)
    case .lookup(let lookup):
      try check(elementType.isFloat, elementType)
      return try lookup.byteCount(shape)
    case .rans:
      try check(elementType.isFloat, elementType)
      return nil
    }
  }

  private func check(_ isValid: Bool, _ elementType: ElementType) throws(WeighbridgeError) {
    guard isValid else { throw .malformed("\(elementType) cannot be encoded as \(title)") }
  }

  /// Decodes the elements, in row-major order and little-endian.
  ///
  /// - Parameter bytes: All stored bytes of the tensor.
  /// - Throws: ``WeighbridgeError/Code/malformed`` when the bytes are not what an encoder writes
  ///   for the tensor, ``WeighbridgeError/Code/limitExceeded`` when there is not enough memory.
  package func decode(
    _ bytes: RawSpan, _ elementType: ElementType, shape: [Int]
  ) throws(WeighbridgeError) -> [UInt8] {
    try check(byteCount: bytes.byteCount, of: elementType, shape: shape)
    switch self {
    case .plain: return bytes.copied(0..<bytes.byteCount)
    case .half(let half): return try half.decode(bytes, elementType)
    case .bytePlanes:
      return try BytePlanes.decode(
        bytes, elementType, count: Checked.product(shape, of: "the size of a tensor"))
    case .linear(let linear): return try linear.decode(bytes, elementType, shape: shape)
    case .lookup(let lookup): return try lookup.decode(bytes, elementType, shape: shape)
    case .rans: return try RANSIntegers.decode(bytes, elementType, shape: shape)
    }
  }
}
