package import Bytes

/// A record of a blob file, the elements of one constant: 64 bytes that say where the elements are,
/// which follow at the next multiple of 64.
///
/// The file begins with 64 bytes that hold the number of records and the version, 2.
package struct MILBlob: Hashable, Sendable {
  /// The types of elements, by their numbers in a record.
  private static let types: [MILDataType] = [
    .float16, .float32, .uint8, .int8, .bfloat16, .int16, .uint16, .int4, .uint1, .uint2, .uint4,
    .uint3, .uint6, .int32, .uint32, .float8E4M3, .float8E5M2,
  ]
  private static let alignment = 64
  private static let (mark, version) = (0xDEAD_BEEF, 2)

  /// The type of the elements.
  package let type: MILDataType
  /// Where the elements are in the file.
  package let range: Range<Int>
  /// The bits of the last byte that hold no element, where elements have less than 8.
  package let paddingBits: Int

  /// Whether a file begins like a blob file.
  package static func recognizes(_ bytes: RawSpan) -> Bool {
    bytes.byteCount >= alignment && number(bytes, 4, 4) == version
  }

  private static func number(_ bytes: RawSpan, _ offset: Int, _ byteCount: Int) -> UInt64 {
    (0..<byteCount).reduce(0) { $0 | UInt64(bytes[byte: offset + $1]) << UInt64(8 * $1) }
  }

  /// Reads the record at an offset.
  ///
  /// - Parameter bytes: The whole file.
  /// - Throws: ``WeighbridgeError/Code/malformed`` where there is none, or its elements are not in
  ///   the file.
  package init(_ bytes: RawSpan, at offset: Int) throws(WeighbridgeError) {
    func number(_ position: Int, _ byteCount: Int) -> UInt64 {
      Self.number(bytes, position, byteCount)
    }
    guard Self.recognizes(bytes) else {
      throw .malformed("is no file of constants of version \(Self.version)")
    }
    guard offset >= Self.alignment, offset % Self.alignment == 0,
      offset <= bytes.byteCount - Self.alignment, number(offset, 4) == Self.mark
    else { throw .malformed("has no record at byte \(offset), to which a constant refers") }
    let typeNumber = Int(number(offset + 4, 4))
    guard Self.types.indices.contains(typeNumber - 1) else {
      throw .unsupported("has a record of the unknown type \(typeNumber)").at(.byte(offset))
    }
    type = Self.types[typeNumber - 1]
    guard let count = Int(exactly: number(offset + 8, 8)),
      let start = Int(exactly: number(offset + 16, 8)),
      start >= offset + Self.alignment, count <= bytes.byteCount, start <= bytes.byteCount - count
    else { throw .malformed("has a record whose elements are not in the file").at(.byte(offset)) }
    range = start..<start + count
    paddingBits = Int(truncatingIfNeeded: number(offset + 24, 8))
  }

  /// The places of constants in a file to be written.
  package struct Layout: Sendable {
    /// The records, in the order of the file.
    package private(set) var blobs: [MILBlob] = []

    /// Creates an empty layout.
    package init() {}

    /// The size of the file.
    package var byteCount: Int { blobs.last?.range.upperBound ?? MILBlob.alignment }

    /// Adds a constant.
    ///
    /// - Returns: The offset of its record.
    ///
    /// - Parameter paddingBits: The bits of the last byte that hold no element.
    package mutating func add(
      _ type: MILDataType, byteCount: Int, paddingBits: Int = 0
    ) -> Int {
      let offset = Self.aligned(self.byteCount)
      let start = offset + MILBlob.alignment
      blobs.append(MILBlob(type, start..<start + byteCount, paddingBits: paddingBits))
      return offset
    }

    private static func aligned(_ offset: Int) -> Int {
      (offset + MILBlob.alignment - 1) / MILBlob.alignment * MILBlob.alignment
    }

    /// The first bytes of the file.
    package var header: [UInt8] { MILBlob.padded([(blobs.count, 4), (MILBlob.version, 4)]) }

    /// The bytes before the elements of a constant and after those of the one before.
    package func bytes(before index: Int) -> [UInt8] {
      let blob = blobs[index]
      let end = index == 0 ? MILBlob.alignment : blobs[index - 1].range.upperBound
      let gap = blob.range.lowerBound - MILBlob.alignment - end
      return [UInt8](repeating: 0, count: gap) + blob.record
    }
  }

  private init(_ type: MILDataType, _ range: Range<Int>, paddingBits: Int) {
    (self.type, self.range, self.paddingBits) = (type, range, paddingBits)
  }

  private var record: [UInt8] {
    let type = (Self.types.firstIndex(of: type) ?? -1) + 1
    return Self.padded([
      (Self.mark, 4), (type, 4), (range.count, 8), (range.lowerBound, 8), (paddingBits, 8),
    ])
  }

  private static func padded(_ numbers: [(number: Int, byteCount: Int)]) -> [UInt8] {
    var bytes: [UInt8] = []
    for (number, byteCount) in numbers {
      bytes.append(littleEndian: number, byteCount: byteCount)
    }
    return bytes + [UInt8](repeating: 0, count: alignment - bytes.count)
  }
}
