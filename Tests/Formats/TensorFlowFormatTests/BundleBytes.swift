import Bytes
import Digests
import ProtobufWire

/// A bundle that a test makes: an index of one block, and the bytes of one file.
struct BundleBytes {
  /// The entries of the index.
  var entries: [(key: [UInt8], value: [UInt8])] = []
  /// The bytes of the tensors.
  var data: [UInt8] = []
  /// How the block of entries says that it is compressed.
  var compression: UInt8 = 0

  /// A bundle with a header.
  init(header: [UInt8] = number(1, 1)) { entries = [([], header)] }

  /// Adds a tensor of float32.
  mutating func add(_ name: String, _ shape: [Int], _ values: [Float]) {
    add(Array(name.utf8), shape, values)
  }

  /// Adds a tensor or slice under a key.
  mutating func add(_ key: [UInt8], _ shape: [Int], _ values: [Float]) {
    let bytes = values.flatMap { value in
      (0..<4).map { UInt8(truncatingIfNeeded: value.bitPattern >> (8 * $0)) }
    }
    entries.append((key, Self.entry(type: 1, shape, offset: data.count, bytes)))
    data += bytes
  }

  /// Adds a tensor with one string.
  mutating func add(_ name: String, string: [UInt8]) {
    var size: [UInt8] = []
    size.append(littleEndian: string.count, byteCount: 4)
    var checksum = CRC32C(of: size.span.bytes)
    let stored = Self.bytes(checksum.masked)
    checksum.update((stored + string).span.bytes)
    let bytes = ProtobufField.varint(UInt64(string.count)) + stored + string
    entries.append(
      (Array(name.utf8), Self.entry(type: 7, [], offset: data.count, bytes, checksum.masked)))
    data += bytes
  }

  /// A `BundleEntryProto`.
  static func entry(
    type: UInt64, _ shape: [Int], offset: Int, _ bytes: [UInt8], _ checksum: UInt32? = nil
  ) -> [UInt8] {
    number(1, type) + Self.shape(shape) + number(4, UInt64(offset)) + number(5, UInt64(bytes.count))
      + ProtobufField.tag(6, wireType: 5)
      + Self.bytes(checksum ?? CRC32C(of: bytes.span.bytes).masked)
  }

  /// The field with a `TensorShapeProto`.
  static func shape(_ shape: [Int]) -> [UInt8] {
    message(2, shape.flatMap { message(2, number(1, UInt64($0))) })
  }

  /// The index.
  var index: [UInt8] {
    var (file, handles): ([UInt8], [[UInt8]]) = ([], [])
    for (entries, type) in [(entries, compression), ([], 0)] {
      handles.append(Self.block(entries, type, in: &file))
    }
    let index = Self.block([([0xFF], handles[0])], 0, in: &file)
    let footer = handles[1] + index
    return file + footer + [UInt8](repeating: 0, count: 40 - footer.count)
      + [0x57, 0xFB, 0x80, 0x8B, 0x24, 0x75, 0x47, 0xDB]
  }

  /// Appends a block, and returns where it is.
  private static func block(
    _ entries: [(key: [UInt8], value: [UInt8])], _ type: UInt8, in file: inout [UInt8]
  ) -> [UInt8] {
    var (contents, previous): ([UInt8], [UInt8]) = ([], [])
    for (key, value) in entries {
      let shared = zip(key, previous).prefix { $0 == $1 }.count
      contents += [shared, key.count - shared, value.count].flatMap {
        ProtobufField.varint(UInt64($0))
      }
      contents += key.dropFirst(shared) + value
      previous = key
    }
    contents += [0, 0, 0, 0, 1, 0, 0, 0]  // one point at which a search can begin
    let handle = [file.count, contents.count].flatMap { ProtobufField.varint(UInt64($0)) }
    file += contents + [type] + bytes(CRC32C(of: (contents + [type]).span.bytes).masked)
    return handle
  }

  private static func bytes(_ number: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }
}

/// A field with a number.
func number(_ field: Int, _ value: UInt64) -> [UInt8] {
  ProtobufField.tag(field, wireType: 0) + ProtobufField.varint(value)
}

/// A field with bytes.
func message(_ field: Int, _ bytes: [UInt8]) -> [UInt8] {
  ProtobufField.header(field, byteCount: bytes.count) + bytes
}
