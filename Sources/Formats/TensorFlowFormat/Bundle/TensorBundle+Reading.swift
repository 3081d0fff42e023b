package import Bytes
import Digests

extension TensorBundle {
  /// The bytes of a tensor of numbers, after its checksum is checked: a range of a mapped file, or
  /// memory for one that is stored in slices.
  ///
  /// - Throws: ``WeighbridgeError/Code/missing`` when there is none of that name;
  ///   ``WeighbridgeError/Code/damaged`` for a wrong checksum;
  ///   ``WeighbridgeError/Code/unsupported`` for strings and other types that are not numbers;
  ///   ``WeighbridgeError/Code/malformed`` for slices that are not all of it.
  package func bytes(
    of name: String
  ) throws(WeighbridgeError) -> (store: ByteStore, range: Range<Int>) {
    try locating({ $0.at(.path(name)).at(file: path) }) { () throws(WeighbridgeError) in
      let entry = try entry(name)
      guard let type = entry.type.elementType else {
        throw .unsupported("has elements of type \(entry.type.name); numbers are read")
      }
      guard entry.slices.isEmpty else {
        let bytes = try assembled(entry, elementSize: type.byteCount, name)
        return (ByteStore(bytes), 0..<bytes.count)
      }
      return try checkedBytes(of: entry)
    }
  }

  /// The strings of a tensor of strings.
  ///
  /// - Throws: As ``bytes(of:)``, and ``WeighbridgeError/Code/unsupported`` for a tensor of numbers.
  package func strings(of name: String) throws(WeighbridgeError) -> [[UInt8]] {
    try locating({ $0.at(.path(name)).at(file: path) }) { () throws(WeighbridgeError) in
      let entry = try entry(name)
      guard entry.type == .string, entry.slices.isEmpty else {
        throw .unsupported("has elements of type \(entry.type.name); strings are expected")
      }
      let count = try Checked.product(entry.shape, of: "the number of its elements")
      let store = shards[entry.shard].store
      return try store.withBytes { (bytes) throws(WeighbridgeError) in
        try Self.strings(count, in: bytes, entry)
      }
    }
  }

  private func entry(_ name: String) throws(WeighbridgeError) -> TensorBundleEntry {
    guard let entry = tensors[name] else { throw .missing("is not among the tensors") }
    return entry
  }

  /// The range of a tensor or slice that is stored as a whole.
  private func checkedBytes(
    of entry: TensorBundleEntry
  ) throws(WeighbridgeError) -> (store: ByteStore, range: Range<Int>) {
    let store = shards[entry.shard].store
    let checksum = store.withBytes { CRC32C(of: $0.extracting(entry.range)).masked }
    try Self.check(checksum, entry)
    return (store, entry.range)
  }

  private static func check(
    _ checksum: UInt32, _ entry: TensorBundleEntry
  ) throws(WeighbridgeError) {
    guard checksum == entry.checksum else {
      throw .damaged(
        "is damaged: its bytes have the checksum \(checksum), and \(entry.checksum) was written; copy "
          + "the files again")
    }
  }

  /// Strings are stored as their sizes, a checksum of these, and their bytes.
  private static func strings(
    _ count: Int, in bytes: RawSpan, _ entry: TensorBundleEntry
  ) throws(WeighbridgeError) -> [[UInt8]] {
    guard count <= entry.range.count else {
      throw .malformed(
        "has \(entry.range.count) bytes for \(count) strings, expected at least as many")
    }
    var cursor = ByteCursor(entry.range)
    var checksum = CRC32C()
    var sizes: [Int] = []
    for _ in 0..<count {
      let size = try cursor.varint(bytes)
      var number: [UInt8] = []
      number.append(littleEndian: size, byteCount: size <= UInt32.max ? 4 : 8)
      unsafe checksum.update(number.span.bytes)
      sizes.append(size)
    }
    checksum.update(bytes.extracting(try cursor.skip(4, in: bytes)))
    var strings: [[UInt8]] = []
    for size in sizes {
      let range = try cursor.skip(size, in: bytes)
      checksum.update(bytes.extracting(range))
      strings.append(bytes.copied(range))
    }
    guard cursor.remaining == 0 else {
      throw .malformed("has \(cursor.remaining) bytes after its last string")
    }
    try check(checksum.masked, entry)
    return strings
  }

  /// The bytes of a tensor that is stored in slices.
  private func assembled(
    _ entry: TensorBundleEntry, elementSize: Int, _ name: String
  ) throws(WeighbridgeError) -> [UInt8] {
    try TensorSlice.checkPartition(entry.slices, of: entry.shape)
    // What the parts have is in the files, so that it is no more than these.
    let parts = try entry.slices.map { (slice) throws(WeighbridgeError) in
      guard let part = slices[slice.key(of: name)] else {
        throw .malformed("has no part \(slice), which its entry lists")
      }
      guard part.type == entry.type, part.slices.isEmpty,
        part.shape == slice.lengths(in: entry.shape)
      else { throw .malformed("has a part \(slice) of another shape or type than expected") }
      return (slice, try checkedBytes(of: part))
    }
    var result = [UInt8](repeating: 0, count: parts.reduce(0) { $0 + $1.1.range.count })
    for (slice, part) in parts {
      part.store.withBytes {
        slice.copy(
          $0.extracting(part.range), into: &result, shape: entry.shape, elementSize: elementSize)
      }
    }
    return result
  }
}
