import Bytes

/// The index of a dataset with one unlimited dimension (HDF5 file format specification 3.0,
/// appendix C.D): an array in groups of blocks, whose number and size increase from group to group.
struct ExtensibleArray {
  private let file: FileBytes
  private let headerAddress: Int
  private let layout: ArrayElementLayout
  private let shape: Shape
  private let indexAddress: Int?

  /// The layout of the blocks.
  private struct Shape {
    /// The number of elements in the index block itself.
    let indexCount: Int
    /// The number of elements in a block of the first group.
    let blockCount: Int
    /// The number of groups whose blocks are listed in the index block, and the number of groups.
    let directGroups: Int
    let groups: Int
    /// The number of elements of a page; larger blocks are divided into pages.
    let pageCount: Int
    /// The size of the position at the start of each block.
    let positionWidth: Int

    /// The number of blocks of a group, and the number of elements of each.
    func group(_ number: Int) -> (blocks: Int, elements: Int) {
      (1 << (number / 2), blockCount << ((number + 1) / 2))
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

  private static func shape(_ header: inout Cursor) throws(WeighbridgeError) -> Shape {
    let place = header
    let (bits, indexCount) = (Int(try header.byte()), Int(try header.byte()))
    let (blockCount, pointers) = (Int(try header.byte()), Int(try header.byte()))
    let pageBits = Int(try header.byte())
    guard bits <= 62, pageBits <= 31, blockCount.nonzeroBitCount == 1,
      pointers.nonzeroBitCount == 1, pointers > 1, blockCount.trailingZeroBitCount <= bits,
      2 * pointers.trailingZeroBitCount <= 1 + bits - blockCount.trailingZeroBitCount
    else {
      throw place.failure(
        "the extensible array has blocks of \(blockCount) elements or more, at least \(pointers) in "
          + "a group, and \(bits) bits for positions")
    }
    return Shape(
      indexCount: indexCount, blockCount: blockCount,
      directGroups: 2 * pointers.trailingZeroBitCount,
      groups: 1 + bits - blockCount.trailingZeroBitCount, pageCount: 1 << pageBits,
      positionWidth: (bits + 7) / 8)
  }

  /// Calls `visit` with the number and the element of each chunk that has been written.
  func elements(
    _ visit: (Int, ArrayElement) throws(WeighbridgeError) -> Void
  ) throws(WeighbridgeError) {
    guard let indexAddress else { return }
    var blockCount = 0
    for group in 0..<shape.directGroups { blockCount += shape.group(group).blocks }
    let pointerCount = blockCount + shape.groups - shape.directGroups
    let size =
      10 + file.widths.offset * (1 + pointerCount) + shape.indexCount * layout.size
    var block = try file.checkedBlock(
      at: indexAddress, byteCount: size, of: "the extensible array's index")
    try readHead(&block, "EAIB")
    try layout.visit(0, shape.indexCount, &block, visit)
    var budget = ReadingBudget("the extensible array", in: file)
    var first = 0
    for number in 0..<shape.groups {
      let group = shape.group(number)
      if number < shape.directGroups {
        for _ in 0..<group.blocks {
          if let address = try block.address() {
            try readBlock(at: address, first, group.elements, written: nil, &budget, visit)
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
    let pages = group.elements > shape.pageCount ? group.elements / shape.pageCount : 0
    let bitmapSize = (pages + 7) / 8
    let each = try Checked.sum(bitmapSize, file.widths.offset, of: "the extensible array")
    let size = try Checked.sum(
      Checked.product([group.blocks, each], of: "the extensible array"),
      10 + file.widths.offset + shape.positionWidth, of: "the extensible array")
    try budget.spend(size, at: address)
    var block = try file.checkedBlock(
      at: address, byteCount: size, of: "the extensible array's table")
    try readHead(&block, "EASB", first)
    // One bit for each page of the group; each block's bits fill whole bytes.
    let bitmap = try block.bytes(group.blocks * bitmapSize)
    for index in 0..<group.blocks {
      guard let address = try block.address() else { continue }
      let written = (index * pages..<(index + 1) * pages).map {
        bitmap[$0 / 8] << UInt8($0 % 8) & 0x80 != 0
      }
      try readBlock(
        at: address, first + index * group.elements, group.elements,
        written: pages > 0 ? written : nil, &budget, visit)
    }
  }

  /// Reads a block of elements ("data block").
  ///
  /// - Parameter written: Which pages exist; `nil` for a block without pages.
  private func readBlock(
    at address: Int, _ first: Int, _ count: Int, written: [Bool]?, _ budget: inout ReadingBudget,
    _ visit: (Int, ArrayElement) throws(WeighbridgeError) -> Void
  ) throws(WeighbridgeError) {
    let byteCount = try Checked.product([count, layout.size], of: "the extensible array")
    let headSize = 10 + file.widths.offset + shape.positionWidth
    let size = try Checked.sum(written == nil ? byteCount : 0, headSize, of: "the extensible array")
    try budget.spend(size, at: address)
    var block = try file.checkedBlock(
      at: address, byteCount: size, of: "the extensible array's block")
    // HDF5 writes a different position into blocks that are listed in the index.
    try readHead(&block, "EADB")
    try block.skip(shape.positionWidth)
    guard let written else {
      return try layout.visit(shape.indexCount + first, count, &block, visit)
    }
    let pageSize = shape.pageCount * layout.size + 4
    for page in 0..<count / shape.pageCount where written[page] {
      let start = try Checked.sum(
        address, size + page * pageSize, of: "the extensible array's page")
      try budget.spend(pageSize, at: start)
      var block = try file.checkedBlock(
        at: start, byteCount: pageSize, of: "the extensible array's page")
      let number = shape.indexCount + first + page * shape.pageCount
      try layout.visit(number, shape.pageCount, &block, visit)
    }
  }

  /// Checks the common start of all blocks.
  private func readHead(
    _ block: inout Cursor, _ signature: StaticString, _ first: Int? = nil
  ) throws(WeighbridgeError) {
    try block.signature(signature, of: "the extensible array's block")
    _ = try block.version(0...0, of: "the extensible array's block")
    try block.skip(1)
    let place = block
    guard try block.address() == headerAddress else {
      throw place.failure("the extensible array's block belongs to another array")
    }
    guard let first else { return }
    guard try block.count(shape.positionWidth) == first else {
      throw place.failure("the extensible array's block belongs to another position")
    }
  }
}
