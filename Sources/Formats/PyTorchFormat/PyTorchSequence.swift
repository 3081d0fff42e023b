import Bytes

/// The form up to PyTorch 1.5: pickles of a magic number, a version, facts about the machine, the
/// object, and the keys of its storages, then the storages, each with its number of elements.
enum PyTorchSequence {
  private static let magic: [UInt8] = [
    0x80, 0x02, 0x8A, 0x0A, 0x6C, 0xFC, 0x9C, 0x46, 0xF9, 0x20, 0x6A, 0xA8, 0x50, 0x19, 0x2E,
  ]
  /// The only version of the form.
  private static let version = 1001

  static func recognizes(_ bytes: RawSpan) -> Bool {
    bytes.byteCount >= magic.count && bytes.copied(0..<magic.count) == magic
  }

  static func read(_ store: ByteStore) throws(WeighbridgeError) -> PyTorchContents {
    try store.withBytes { (bytes) throws(WeighbridgeError) in
      var reader = PickleReader(magic.count..<bytes.byteCount)
      let version = try reader.read(bytes).integer
      guard version == Self.version else {
        throw .unsupported(
          "is of version \(version.map(String.init) ?? "?") of torch.save, and \(Self.version) is read"
        )
      }
      try checkByteOrder(try reader.read(bytes), reader)
      let root = try reader.read(bytes)
      let keys = try reader.read(bytes)
      guard case .list(let number) = keys else {
        throw .malformed("has \(keys.title), expected the list of its storages")
      }
      var cursor = ByteCursor(reader.offset..<bytes.byteCount)
      var storages: [String: PyTorchElements] = [:]
      for value in reader.lists[number] {
        guard let key = value.string, let storage = reader.storages[key] else {
          throw .malformed("lists \(value.title) that no tensor has, expected the key of a storage")
        }
        let start = cursor.offset
        let count = try cursor.integer(UInt64.self, from: bytes)
        guard count == storage.count else {
          throw .malformed("has a storage of \(count) elements, expected \(storage.count)").at(
            .byte(start))
        }
        let size = try Checked.product(
          [storage.count, storage.elementType.byteCount], of: "the size of a storage")
        storages[key] = PyTorchElements(store: store, range: try cursor.skip(size, in: bytes))
      }
      guard cursor.remaining == 0 else {
        throw .malformed("has \(cursor.remaining.counted("byte")) after the last storage").at(
          .byte(cursor.offset))
      }
      return PyTorchContents(root: root, reader: reader, storages: storages)
    }
  }

  private static func checkByteOrder(
    _ facts: PickleValue, _ reader: PickleReader
  ) throws(WeighbridgeError) {
    guard case .dictionary(let number) = facts else {
      throw .malformed("has \(facts.title), expected a dict of facts about the machine")
    }
    let order = reader.dictionaries[number].entries.first { $0.key == .text("little_endian") }
    guard case .bool(true)? = order?.value else {
      throw .unsupported("has another byte order than little-endian, which is read")
    }
  }
}
