package import Bytes

extension EncodedElements {
  /// Encodes elements losslessly in the smallest form; returns `nil` if that saves nothing.
  ///
  /// Elements with only a few values, such as pixels in single precision, become indices into a
  /// table.
  ///
  /// - Parameter bytes: The elements, row-major, little-endian.
  package static func lossless(
    _ bytes: RawSpan, _ elementType: ElementType, shape: [Int]
  ) -> EncodedElements? {
    let planes = BytePlanes.encode(bytes, elementType)
    let table = ValueTable(bytes, elementType).map { $0.encoded(bytes, shape: shape) }
    let smallest = [
      EncodedElements(.bytePlanes, elementType, shape: shape, bytes: planes), table,
    ].compactMap { $0 }.min { $0.byteCount < $1.byteCount }
    guard let smallest, smallest.byteCount < bytes.byteCount else { return nil }
    return smallest
  }
}

/// The distinct values of single-precision elements, when there are at most 256.
private struct ValueTable {
  private var indices: [UInt32: UInt8] = [:]
  private var values: [UInt32] = []

  init?(_ bytes: RawSpan, _ elementType: ElementType) {
    guard elementType == .float32 else { return nil }
    for offset in stride(from: 0, to: bytes.byteCount, by: 4) {
      let bits = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self)
      guard indices[bits] == nil else { continue }
      guard values.count < 256 else { return nil }
      indices[bits] = UInt8(values.count)
      values.append(bits)
    }
    guard values.count > 1 else { return nil }
  }

  func encoded(_ bytes: RawSpan, shape: [Int]) -> EncodedElements {
    let bits = Int.bitWidth - (values.count - 1).leadingZeroBitCount
    let lookup = LookupTables(bits: bits, blockShape: shape.map { max($0, 1) })
    let indices = (0..<bytes.byteCount / 4).map { index in
      unsafe self.indices[bytes.unsafeLoadUnaligned(fromByteOffset: 4 * index, as: UInt32.self)]
        ?? 0
    }
    let padding = [UInt32](repeating: 0, count: 1 << bits - values.count)
    let content = LookupTables.Content(
      positions: indices, tables: (values + padding).map(Float.init(bitPattern:)))
    return EncodedElements(
      .lookup(lookup), .float32, shape: shape, bytes: lookup.encode(content, shape: shape))
  }
}
