import Bytes

/// The blocks of a fractal heap that have been read, by their positions in the heap.
struct HeapBlocks {
  /// The number of bytes that are kept at a time.
  private static let limit = 1 << 26

  private var direct: [Int: Cursor] = [:]
  private var byteCount = 0
  /// The tables of blocks, by their addresses.
  var tables: [Int: [Entry]] = [:]

  /// A block listed in a table.
  struct Entry {
    let address: Int?
    let filtered: (byteCount: Int, mask: UInt32)?
  }

  subscript(position: Int) -> Cursor? { direct[position] }

  mutating func keep(_ block: Cursor, at position: Int) {
    if byteCount > Self.limit { (direct, byteCount) = ([:], 0) }
    direct[position] = block
    byteCount += block.remaining
  }
}

extension FractalHeap {
  /// Returns an object within a block.
  mutating func managed(
    _ position: Int, byteCount: Int, _ place: Cursor
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
        throw place.failure("the fractal heap has a table of blocks too small for one")
      }
    }
    guard rowCount == 0, let address = entry.address, position - start < size else {
      throw place.failure("refers to position \(position) of a fractal heap that is smaller")
    }
    var block = try direct(at: address, entry, start: start, size: size)
    guard byteCount > 0, position - start + byteCount <= size else {
      throw place.failure(
        "refers to \(byteCount) bytes at \(position - start) of a block of \(size)")
    }
    let headSize = 5 + file.widths.offset + positionWidth + (hasChecksums ? 4 : 0)
    guard position - start >= headSize else {
      throw place.failure("refers to the head of a block of the fractal heap")
    }
    try block.skip(position - start)
    return try block.part(byteCount)
  }

  /// Reads a table of blocks ("indirect block").
  private mutating func entries(
    at address: Int, rowCount: Int, start: Int
  ) throws(WeighbridgeError) -> [HeapBlocks.Entry] {
    if let known = blocks.tables[address] { return known }
    let (offset, length) = (file.widths.offset, file.widths.length)
    let directCount = min(rowCount, table.directRowCount) * table.width
    let tableCount = rowCount * table.width - directCount
    let isFiltered = !pipeline.steps.isEmpty
    let size =
      9 + offset + positionWidth + directCount * (offset + (isFiltered ? length + 4 : 0))
      + tableCount * offset
    var block = try file.checkedBlock(
      at: address, byteCount: size, of: "the fractal heap's table")
    try readHead(&block, "FHIB", start: start)
    var entries: [HeapBlocks.Entry] = []
    for index in 0..<directCount + tableCount {
      let address = try block.address()
      guard isFiltered, index < directCount else {
        entries.append(HeapBlocks.Entry(address: address, filtered: nil))
        continue
      }
      let stored = try block.length()
      let mask = UInt32(truncatingIfNeeded: try block.unsigned(4))
      entries.append(HeapBlocks.Entry(address: address, filtered: (stored, mask)))
    }
    blocks.tables[address] = entries
    return entries
  }

  /// Checks the common start of both kinds of blocks.
  private func readHead(
    _ block: inout Cursor, _ signature: StaticString, start: Int
  ) throws(WeighbridgeError) {
    try block.signature(signature, of: "the fractal heap's block")
    _ = try block.version(0...0, of: "the fractal heap's block")
    let place = block
    guard try block.address() == headerAddress, try block.count(positionWidth) == start else {
      throw place.failure("the fractal heap's block belongs to another heap or position")
    }
  }

  /// Reads a block of objects ("direct block").
  private mutating func direct(
    at address: Int, _ entry: HeapBlocks.Entry, start: Int, size: Int
  ) throws(WeighbridgeError) -> Cursor {
    if let known = blocks[start] { return known }
    let isFiltered = !pipeline.steps.isEmpty
    var block = try file.block(
      at: address, byteCount: isFiltered ? entry.filtered?.byteCount ?? size : size,
      of: "the fractal heap's block")
    let origin = block.fileOffset
    var bytes = try block.bytes(block.remaining)
    if isFiltered {
      bytes = try locating({ $0.at(.byte(origin)) }) { () throws(WeighbridgeError) in
        try pipeline.decode(bytes, mask: entry.filtered?.mask ?? 0, to: size)
      }
    }
    let whole = Cursor(bytes, origin: origin, file.widths)
    var head = whole
    try readHead(&head, "FHDB", start: start)
    if hasChecksums {
      let place = head
      let stored = try head.unsigned(4)
      let field = place.position..<place.position + 4
      for index in field { bytes[index] = 0 }
      let (expected, computed) = (UInt32(truncatingIfNeeded: stored), Lookup3.checksum(bytes[...]))
      guard expected == computed else {
        throw place.failure(
          "the fractal heap's block is damaged: \(Lookup3.mismatch(expected, computed))")
      }
    }
    blocks.keep(whole, at: start)
    return whole
  }
}
