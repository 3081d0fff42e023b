import Bytes

/// Where one chunk is stored.
struct StoredChunk {
  /// Its number in the grid, row by row.
  let number: Int
  /// Where in the file it is.
  let range: Range<Int>
  /// The filters that it went without, one bit each.
  let filterMask: UInt32
}

/// An entry of an array index: where a chunk is and, when it is filtered, what of it is stored.
struct ArrayElement {
  let address: Int
  let filtered: (byteCount: Int, mask: UInt32)?

  init(address: Int, filtered: (byteCount: Int, mask: UInt32)?) {
    self.address = address
    self.filtered = filtered
  }

  /// Reads an element of an array (HDF5 file format specification 3.0, appendixes C.C and C.D); `nil`
  /// for a chunk that was not written.
  ///
  /// - Parameter size: The size of the element in bytes.
  init?(_ block: inout Cursor, size: Int, isFiltered: Bool) throws(WeighbridgeError) {
    var element = try block.part(size)
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

  /// Checks the size of elements and whether they are of filtered chunks.
  static func check(
    size: Int, client: UInt8, isFiltered: Bool, _ place: Cursor
  ) throws(WeighbridgeError) {
    let width = size - place.widths.offset - (isFiltered ? 4 : 0)
    guard client == (isFiltered ? 1 : 0), isFiltered ? (1...8).contains(width) : width == 0 else {
      throw place.failure(
        "the chunk index has elements of \(size) bytes for client \(client), which do not fit the "
          + "dataset's filters")
    }
  }
}
