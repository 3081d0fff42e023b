import Bytes

/// The index of a dataset with one unlimited dimension (HDF5 file format specification 3.0,
/// appendix C.D): an array of elements in blocks. The blocks are in groups ("super blocks"), and
/// their number and size increase from group to group.
struct ExtensibleArray {
  private let file: FileBytes
  private let headerAddress: Int
  private let layout: ArrayElementLayout
  private let shape: BlockLayout
  private let indexAddress: Int?

  /// The sizes and numbers of the blocks.
  private struct BlockLayout {
    /// The number of elements in the index block itself.
    let indexElementCount: Int
    /// The number of elements in a block of the first group.
    let firstBlockSize: Int
    /// The number of groups whose blocks are listed in the index block, and the number of groups.
    let directGroupCount: Int
    let groupCount: Int
    /// The number of elements of a page; larger blocks are divided into pages.
    let elementsPerPage: Int
    /// The size of the position at the start of each block.
    let positionWidth: Int

    /// The number of blocks of a group, and the number of elements of each.
    func group(_ number: Int) -> (blocks: Int, elements: Int) {
      (1 << (number / 2), firstBlockSize << ((number + 1) / 2))
    }
  }

  init(at address: Int, isFiltered: Bool, in file: FileBytes) throws(WeighbridgeError) {
    self.file = file
    headerAddress = address
    var header = try file.checkedBlock(
      at: address, byteCount: 16 + 6 * file.widths.length + file.widths.offset,
      of: "the extensible array")
    try header.signature("EAHD", of: "the extensible array")
    _ = try header.version(0...0, of: "the extensible array")
    layout = try ArrayElementLayout(&header, isFiltered: isFiltered)
    shape = try Self.shape(&header)
    try header.skip(6 * file.widths.length)  // counts
    indexAddress = try header.address()
  }

  private static func shape(_ header: inout Cursor) throws(WeighbridgeError) -> BlockLayout {
    let field = header
    let (bits, indexElementCount) = (Int(try header.byte()), Int(try header.byte()))
    let (firstBlockSize, pointerCount) = (Int(try header.byte()), Int(try header.byte()))
    let pageBits = Int(try header.byte())
    guard bits <= 62, pageBits <= 31, firstBlockSize.nonzeroBitCount == 1,
      pointerCount.nonzeroBitCount == 1, pointerCount > 1,
      firstBlockSize.trailingZeroBitCount <= bits,
      2 * pointerCount.trailingZeroBitCount <= 1 + bits - firstBlockSize.trailingZeroBitCount
    else {
      throw field.failure(
        "the extensible array is invalid: blocks of \(firstBlockSize) elements or more, at least "
          + "\(pointerCount) in a group, and \(bits) bits for positions")
    }
    return BlockLayout(
      indexElementCount: indexElementCount, firstBlockSize: firstBlockSize,
      directGroupCount: 2 * pointerCount.trailingZeroBitCount,
      groupCount: 1 + bits - firstBlockSize.trailingZeroBitCount,
      elementsPerPage: 1 << pageBits, positionWidth: (bits + 7) / 8)
  }

  /// Calls `visit` with the number and the element of each chunk that has been written.
  func elements(
    _ visit: (Int, ArrayElement) throws(WeighbridgeError) -> Void
  ) throws(WeighbridgeError) {
    guard let indexAddress else { return }
    var blockCount = 0
    for group in 0..<shape.directGroupCount { blockCount += shape.group(group).blocks }
    let pointerCount = blockCount + shape.groupCount - shape.directGroupCount
    let size =
      10 + file.widths.offset * (1 + pointerCount) + shape.indexElementCount * layout.size
    var block = try file.checkedBlock(
      at: indexAddress, byteCount: size, of: "the extensible array's index")
    try readBlockHeader(&block, "EAIB")
    try layout.visit(0, shape.indexElementCount, &block, visit)
    var budget = ReadingBudget("the extensible array", in: file)
    var first = 0
    for number in 0..<shape.groupCount {
      let group = shape.group(number)
      if number < shape.directGroupCount {
        for _ in 0..<group.blocks {
          if let address = try block.address() {
            try readBlock(at: address, first, group.elements, writtenPages: nil, &budget, visit)
          }
          first += group.elements
        }
      } else {
        if let address = try block.address() {
          try readGroup(at: address, first, group, &budget, visit)
        }
        first += group.blocks * group.elements
      }
    }
  }

  /// Reads a group of blocks that has its own table ("secondary block").
  private func readGroup(
    at address: Int, _ first: Int, _ group: (blocks: Int, elements: Int),
    _ budget: inout ReadingBudget,
    _ visit: (Int, ArrayElement) throws(WeighbridgeError) -> Void
  ) throws(WeighbridgeError) {
    let pagesPerBlock =
      group.elements > shape.elementsPerPage ? group.elements / shape.elementsPerPage : 0
    let bitmapSize = (pagesPerBlock + 7) / 8
    let entrySize = try Checked.sum(bitmapSize, file.widths.offset, of: "the extensible array")
    let size = try Checked.sum(
      Checked.product([group.blocks, entrySize], of: "the extensible array"),
      10 + file.widths.offset + shape.positionWidth, of: "the extensible array")
    try budget.spend(size, at: address)
    var block = try file.checkedBlock(
      at: address, byteCount: size, of: "the extensible array's table")
    try readBlockHeader(&block, "EASB", first)
    // One bit for each page of the group, without gaps between the blocks, although the bitmap has
    // room for whole bytes of each.
    let bitmap = try block.bytes(group.blocks * bitmapSize)
    for index in 0..<group.blocks {
      guard let address = try block.address() else { continue }
      let writtenPages = (index * pagesPerBlock..<(index + 1) * pagesPerBlock).map {
        bitmap[$0 / 8] << UInt8($0 % 8) & 0x80 != 0
      }
      try readBlock(
        at: address, first + index * group.elements, group.elements,
        writtenPages: pagesPerBlock > 0 ? writtenPages : nil, &budget, visit)
    }
  }

  /// Reads a block of elements ("data block").
  ///
  /// - Parameter writtenPages: Which pages exist; `nil` for a block without pages.
  private func readBlock(
    at address: Int, _ first: Int, _ count: Int, writtenPages: [Bool]?,
    _ budget: inout ReadingBudget,
    _ visit: (Int, ArrayElement) throws(WeighbridgeError) -> Void
  ) throws(WeighbridgeError) {
    let byteCount = try Checked.product([count, layout.size], of: "the extensible array")
    let headerSize = 10 + file.widths.offset + shape.positionWidth
    let size = try Checked.sum(
      writtenPages == nil ? byteCount : 0, headerSize, of: "the extensible array")
    try budget.spend(size, at: address)
    var block = try file.checkedBlock(
      at: address, byteCount: size, of: "the extensible array's block")
    // HDF5 writes a different position into blocks that are listed in the index.
    try readBlockHeader(&block, "EADB")
    try block.skip(shape.positionWidth)
    guard let writtenPages else {
      return try layout.visit(shape.indexElementCount + first, count, &block, visit)
    }
    let pageSize = shape.elementsPerPage * layout.size + 4
    for page in 0..<count / shape.elementsPerPage where writtenPages[page] {
      let start = try Checked.sum(
        address, size + page * pageSize, of: "the extensible array's page")
      try budget.spend(pageSize, at: start)
      var block = try file.checkedBlock(
        at: start, byteCount: pageSize, of: "the extensible array's page")
      let number = shape.indexElementCount + first + page * shape.elementsPerPage
      try layout.visit(number, shape.elementsPerPage, &block, visit)
    }
  }

  /// Reads and checks the header that all blocks have.
  private func readBlockHeader(
    _ block: inout Cursor, _ signature: StaticString, _ first: Int? = nil
  ) throws(WeighbridgeError) {
    try block.signature(signature, of: "the extensible array's block")
    _ = try block.version(0...0, of: "the extensible array's block")
    try block.skip(1)
    let field = block
    guard try block.address() == headerAddress else {
      throw field.failure("the extensible array's block belongs to another array")
    }
    guard let first else { return }
    guard try block.count(shape.positionWidth) == first else {
      throw field.failure("the extensible array's block belongs to another position")
    }
  }
}
