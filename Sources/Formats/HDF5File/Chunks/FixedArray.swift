import Bytes

/// The index of a dataset without unlimited dimensions (HDF5 file format specification 3.0,
/// appendix C.C): an array with an element for each possible chunk.
struct FixedArray {
  private let file: FileBytes
  private let headerAddress: Int
  private let layout: ArrayElementLayout
  private let count: Int
  /// The number of elements of a page; larger arrays are divided into pages.
  private let elementsPerPage: Int
  private let blockAddress: Int?

  init(at address: Int, isFiltered: Bool, in file: FileBytes) throws(WeighbridgeError) {
    self.file = file
    headerAddress = address
    var header = try file.checkedBlock(
      at: address, byteCount: 12 + file.widths.length + file.widths.offset,
      of: "the fixed array")
    try header.signature("FAHD", of: "the fixed array")
    _ = try header.version(0...0, of: "the fixed array")
    let field = header
    layout = try ArrayElementLayout(&header, isFiltered: isFiltered)
    let pageBits = try header.byte()
    guard pageBits < 32 else { throw field.failure("the fixed array has pages of 2^\(pageBits)") }
    elementsPerPage = 1 << Int(pageBits)
    count = try header.length()
    blockAddress = try header.address()
  }

  /// Calls `visit` with the number and the element of each chunk that has been written.
  func elements(
    _ visit: (Int, ArrayElement) throws(WeighbridgeError) -> Void
  ) throws(WeighbridgeError) {
    guard let blockAddress else { return }
    let isPaged = count > elementsPerPage
    let pageCount = isPaged ? (count - 1) / elementsPerPage + 1 : 0
    let bitmapSize = pageCount == 0 ? 0 : (pageCount - 1) / 8 + 1
    let headerSize = try Checked.sum(
      bitmapSize, 10 + file.widths.offset, of: "the fixed array")  // with a checksum
    let byteCount = isPaged ? 0 : try Checked.product([count, layout.size], of: "the fixed array")
    let size = try Checked.sum(byteCount, headerSize, of: "the fixed array")
    var block = try file.checkedBlock(at: blockAddress, byteCount: size, of: "the fixed array")
    try block.signature("FADB", of: "the fixed array's block")
    _ = try block.version(0...0, of: "the fixed array's block")
    try block.skip(1)
    let field = block
    guard try block.address() == headerAddress else {
      throw field.failure("the fixed array's block belongs to another array")
    }
    guard isPaged else { return try layout.visit(0, count, &block, visit) }
    let writtenPages = try block.bytes(bitmapSize)
    let pageSize = elementsPerPage * layout.size + 4
    for page in 0..<pageCount where writtenPages[page / 8] << UInt8(page % 8) & 0x80 != 0 {
      let first = page * elementsPerPage
      let pageElementCount = min(elementsPerPage, count - first)
      let (offset, overflow) = page.multipliedReportingOverflow(by: pageSize)
      guard !overflow else { throw field.failure("the fixed array has a page beyond any file") }
      let address = try Checked.sum(blockAddress + size, offset, of: "the fixed array")
      var block = try file.checkedBlock(
        at: address, byteCount: pageElementCount * layout.size + 4, of: "the fixed array's page")
      try layout.visit(first, pageElementCount, &block, visit)
    }
  }
}
