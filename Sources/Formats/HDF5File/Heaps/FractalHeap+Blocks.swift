import Bytes

/// The blocks of a fractal heap that have been read, by their positions in the heap.
struct HeapBlocks {
  /// The number of bytes of blocks after which the cached blocks are dropped.
  private static let limit = 1 << 26

  private var direct: [Int: Cursor] = [:]
  private var byteCount = 0
  /// The tables of blocks, by their addresses.
  var tables: [Int: [Entry]] = [:]

  /// An entry of a table: the location of a block.
  struct Entry {
    let address: Int?
    let filtered: (byteCount: Int, mask: UInt32)?
  }

  subscript(position: Int) -> Cursor? { direct[position] }

  mutating func insert(_ block: Cursor, at position: Int) {
    if byteCount > Self.limit { (direct, byteCount) = ([:], 0) }
    direct[position] = block
    byteCount += block.remaining
  }
}

extension FractalHeap {
  /// Returns an object within a block ("managed object").
  mutating func managedObject(
    at position: Int, byteCount: Int, _ field: Cursor
  ) throws(WeighbridgeError) -> Cursor {
    var (start, size) = (0, table.startSize)
    var entry = HeapBlocks.Entry(address: root.address, filtered: root.filtered)
    var rowCount = root.rowCount
    while rowCount > 0 {
      guard let address = entry.address else { break }
      let entries = try entries(at: address, rowCount: rowCount, start: start)
      let block = table.block(at: position - start)
      guard block.entry < entries.count else { break }
      entry = entries[block.entry]
      start += block.start
      size = table.blockSize(row: block.row)
      rowCount = block.row < table.directRowCount ? 0 : table.rowCount(covering: size)
      guard rowCount > 0 || block.row < table.directRowCount else {
        throw field.failure("the fractal heap has a table of blocks too small for one")
      }
    }
    guard rowCount == 0, let address = entry.address, position - start < size else {
      throw field.failure("refers to position \(position) of a fractal heap that is smaller")
    }
    var block = try directBlock(at: address, entry, start: start, size: size)
    guard byteCount > 0, position - start + byteCount <= size else {
      throw field.failure(
        "refers to \(byteCount) bytes at \(position - start) of a block of \(size)")
    }
    let headerSize = 5 + file.widths.offset + positionWidth + (hasChecksums ? 4 : 0)
    guard position - start >= headerSize else {
      throw field.failure("refers to the head of a block of the fractal heap")
    }
    try block.skip(position - start)
    return try block.slice(byteCount)
  }

  /// Reads a table of blocks ("indirect block").
  private mutating func entries(
    at address: Int, rowCount: Int, start: Int
  ) throws(WeighbridgeError) -> [HeapBlocks.Entry] {
    if let cached = blocks.tables[address] { return cached }
    let (offset, length) = (file.widths.offset, file.widths.length)
    let directCount = min(rowCount, table.directRowCount) * table.width
    let tableCount = rowCount * table.width - directCount
    let isFiltered = !pipeline.steps.isEmpty
    let size =
      9 + offset + positionWidth + directCount * (offset + (isFiltered ? length + 4 : 0))
      + tableCount * offset
    var block = try file.checkedBlock(
      at: address, byteCount: size, of: "the fractal heap's table")
    try readBlockHeader(&block, "FHIB", start: start)
    var entries: [HeapBlocks.Entry] = []
    for index in 0..<directCount + tableCount {
      let address = try block.address()
      guard isFiltered, index < directCount else {
        entries.append(HeapBlocks.Entry(address: address, filtered: nil))
        continue
      }
      let storedSize = try block.length()
      let mask = UInt32(truncatingIfNeeded: try block.unsigned(4))
      entries.append(HeapBlocks.Entry(address: address, filtered: (storedSize, mask)))
    }
    blocks.tables[address] = entries
    return entries
  }

  /// Reads and checks the header that both kinds of blocks have.
  private func readBlockHeader(
    _ block: inout Cursor, _ signature: StaticString, start: Int
  ) throws(WeighbridgeError) {
    try block.signature(signature, of: "the fractal heap's block")
    _ = try block.version(0...0, of: "the fractal heap's block")
    let field = block
    guard try block.address() == headerAddress, try block.count(positionWidth) == start else {
      throw field.failure("the fractal heap's block belongs to another heap or position")
    }
  }

  /// Reads a block of objects ("direct block").
  private mutating func directBlock(
    at address: Int, _ entry: HeapBlocks.Entry, start: Int, size: Int
  ) throws(WeighbridgeError) -> Cursor {
    if let cached = blocks[start] { return cached }
    let isFiltered = !pipeline.steps.isEmpty
    let storedSize = isFiltered ? entry.filtered?.byteCount ?? size : size
    var block = try file.block(
      at: address, byteCount: storedSize, of: "the fractal heap's block")
    try count(storedSize, at: address, decodedTo: size)
    let origin = block.fileOffset
    var bytes = try block.bytes(block.remaining)
    if isFiltered {
      bytes = try locating({ $0.at(.byte(origin)) }) { () throws(WeighbridgeError) in
        try pipeline.decode(bytes, mask: entry.filtered?.mask ?? 0, to: size)
      }
    }
    let cursor = Cursor(bytes, origin: origin, file.widths)
    var header = cursor
    try readBlockHeader(&header, "FHDB", start: start)
    if hasChecksums {
      let field = header
      let stored = try header.unsigned(4)
      let checksumRange = field.position..<field.position + 4
      for index in checksumRange { bytes[index] = 0 }
      let (expected, computed) = (UInt32(truncatingIfNeeded: stored), Lookup3.checksum(bytes[...]))
      guard expected == computed else {
        throw field.failure(
          "the fractal heap's block is damaged: \(Lookup3.mismatch(expected, computed))")
      }
    }
    blocks.insert(cursor, at: start)
    return cursor
  }
}
