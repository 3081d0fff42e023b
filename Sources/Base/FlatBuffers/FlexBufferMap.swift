import Bytes

/// A map from names to numbers as a FlexBuffer, the form of FlatBuffers without a schema. Each
/// element takes four bytes.
package struct FlexBufferMap: Hashable, Sendable {
  /// A number.
  package enum Value: Hashable, Sendable {
    case integer(Int)
    case float(Float)
    case bool(Bool)
  }

  /// The number of bytes of an element, and its exponent, which is part of every type.
  private static let (width, widthExponent) = (4, 2)
  /// The number of the type of maps.
  private static let mapType = 9

  private let values: [String: Value]

  /// Creates a map; its names must not contain zeros.
  package init(_ values: [String: Value]) { self.values = values }

  /// The map as bytes: the names, where each of them is, the values, and their types. Offsets lead
  /// back from the place where they are.
  package var bytes: [UInt8] {
    var bytes: [UInt8] = []
    let names = values.keys.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
    var places: [Int] = []
    for name in names {
      places.append(bytes.count)
      bytes += Array(name.utf8) + [0]
    }
    while !bytes.count.isMultiple(of: Self.width) { bytes.append(0) }
    bytes.append(littleEndian: names.count, byteCount: Self.width)
    let nameList = bytes.count
    for place in places {
      bytes.append(littleEndian: bytes.count - place, byteCount: Self.width)
    }
    bytes.append(littleEndian: bytes.count - nameList, byteCount: Self.width)
    bytes.append(littleEndian: Self.width, byteCount: Self.width)
    bytes.append(littleEndian: names.count, byteCount: Self.width)
    let map = bytes.count
    let elements = names.compactMap { values[$0] }
    for element in elements { bytes.append(littleEndian: element.bits, byteCount: Self.width) }
    bytes += elements.map { UInt8($0.type << 2 | Self.widthExponent) }
    while !bytes.count.isMultiple(of: Self.width) { bytes.append(0) }
    bytes.append(littleEndian: bytes.count - map, byteCount: Self.width)
    return bytes + [UInt8(Self.mapType << 2 | Self.widthExponent), UInt8(Self.width)]
  }
}

extension FlexBufferMap.Value {
  /// The number of the type.
  fileprivate var type: Int {
    switch self {
    case .integer: 1
    case .float: 3
    case .bool: 26
    }
  }

  fileprivate var bits: Int {
    switch self {
    case .integer(let number): number
    case .float(let number): Int(number.bitPattern)
    case .bool(let value): value ? 1 : 0
    }
  }
}
