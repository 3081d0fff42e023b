import Bytes

/// The location of a stored chunk.
struct StoredChunk {
  /// The chunk's number in the grid, in row-major order.
  let number: Int
  /// The chunk's range in the file.
  let range: Range<Int>
  /// The filters that were skipped, one bit each.
  let filterMask: UInt32
}

/// An entry of an array index: the chunk's address and, when it is filtered, its stored size and
/// filter mask.
struct ArrayElement {
  let address: Int
  let filtered: (byteCount: Int, mask: UInt32)?

  init(address: Int, filtered: (byteCount: Int, mask: UInt32)?) {
    self.address = address
    self.filtered = filtered
  }

  /// Reads an element of an array (HDF5 file format specification 3.0, appendixes C.C and C.D);
  /// `nil` for a chunk that has not been written.
  ///
  /// - Parameter size: The size of the element in bytes.
  init?(_ block: inout Cursor, size: Int, isFiltered: Bool) throws(WeighbridgeError) {
    var element = try block.slice(size)
    let address = try element.address()
    var filtered: (byteCount: Int, mask: UInt32)?
    if isFiltered {
      let byteCount = try element.count(size - element.widths.offset - 4)
      filtered = (byteCount, UInt32(truncatingIfNeeded: try element.unsigned(4)))
    }
    guard let address else { return nil }
    self.address = address
    self.filtered = filtered
  }
}

/// The encoding of the elements of an array index.
struct ArrayElementLayout {
  /// The size of an element in bytes.
  let size: Int
  private let isFiltered: Bool

  /// Reads the encoding from the header of an array.
  init(_ header: inout Cursor, isFiltered: Bool) throws(WeighbridgeError) {
    let field = header
    let client = try header.byte()
    size = Int(try header.byte())
    self.isFiltered = isFiltered
    let width = size - field.widths.offset - (isFiltered ? 4 : 0)
    guard client == (isFiltered ? 1 : 0), isFiltered ? (1...8).contains(width) : width == 0 else {
      throw field.failure(
        "the chunk index has elements of \(size) bytes for client \(client), which do not fit the "
          + "dataset's filters")
    }
  }

  /// Calls `visit` with the number and the element of each chunk in a block that has been written.
  ///
  /// - Parameter first: The number of the block's first element.
  func visit(
    _ first: Int, _ count: Int, _ block: inout Cursor,
    _ visit: (Int, ArrayElement) throws(WeighbridgeError) -> Void
  ) throws(WeighbridgeError) {
    for number in first..<first + count {
      if let element = try ArrayElement(&block, size: size, isFiltered: isFiltered) {
        try visit(number, element)
      }
    }
  }
}
