import Bytes
import ProtobufWire

/// A tensor in a message: a `TensorProto`.
package struct TensorFlowTensor: Sendable {
  /// The type of its elements.
  package internal(set) var type = TensorFlowType(code: 0)
  /// The sizes, slowest axis first.
  package internal(set) var shape: [Int] = []
  /// Where its elements are in the message, little-endian; `nil` where they are listed.
  package private(set) var contents: Range<Int>?
  /// The listed elements that are numbers, little-endian. The last of fewer than the shape has
  /// stands for the rest, and 0 for all of none.
  package internal(set) var elements: [UInt8] = []
  /// The listed elements that are strings.
  package private(set) var strings: [[UInt8]] = []

  init() {}

  init(_ bytes: RawSpan, _ message: Range<Int>) throws(WeighbridgeError) {
    var lists: [(number: Int, field: WireField)] = []
    try WireField.forEach(in: bytes, message) { (field) throws(WeighbridgeError) in
      switch field.number {
      case 1: type = TensorFlowType(code: try field.integer())
      case 2: shape = try TensorBundleEntry.shape(bytes, field.range())
      case 4: contents = try field.range()
      case 8: strings.append(bytes.copied(try field.range()))
      case 5...7, 10, 11, 13, 16, 17: lists.append((field.number, field))
      default: break
      }
    }
    for (number, field) in lists { try append(field, number, bytes) }
    if contents?.isEmpty == true { contents = nil }
  }

  /// Appends listed numbers, if they are in the list for this type.
  private mutating func append(
    _ field: WireField, _ number: Int, _ bytes: RawSpan
  ) throws(WeighbridgeError) {
    guard let size = type.elementType?.byteCount else { return }
    switch (number, type.name) {
    case (5, "float32"), (6, "float64"):
      for bits in try field.fixedNumbers(in: bytes, byteCount: size) {
        elements.append(littleEndian: Int(truncatingIfNeeded: bits), byteCount: size)
      }
    case (7, _), (10, "int64"), (11, "bool"), (13, "float16"), (13, "bfloat16"), (16, "uint32"),
      (17, "uint64"):
      for integer in try field.integers(in: bytes) {
        elements.append(littleEndian: integer, byteCount: size)
      }
    default:
      throw .malformed(
        "has elements in the list of field \(number), expected those of \(type.name)")
    }
  }
}

extension WireField {
  /// The bits of a list of numbers of 4 or 8 bytes, packed or not.
  func fixedNumbers(
    in bytes: RawSpan, byteCount: Int
  ) throws(WeighbridgeError) -> [UInt64] {
    guard let range = try? range() else { return [try bits()] }
    var (cursor, numbers): (ByteCursor, [UInt64]) = (ByteCursor(range), [])
    while cursor.remaining > 0 {
      numbers.append(
        byteCount == 4
          ? UInt64(try cursor.integer(UInt32.self, from: bytes))
          : try cursor.integer(UInt64.self, from: bytes))
    }
    return numbers
  }
}
