import Bytes

/// The division of a dataset into chunks of one shape, and their index.
struct ChunkedLayout: Sendable {
  /// The index of the chunks (HDF5 file format specification 3.0, appendix C and section III.A.1).
  enum Index: Sendable {
    case bTree1
    /// There is only one chunk; if it is filtered, with its stored size and its skipped filters.
    case single(filtered: (byteCount: Int, mask: UInt32)?)
    /// All chunks are consecutive.
    case implicit
    case fixedArray
    case extensibleArray
    case bTree2
  }

  /// The sizes of a chunk's dimensions, slowest first, in elements.
  let shape: [Int]
  /// The size of an element in bytes; `nil` in messages of version 4 or 5, of which HDF5 before 2.0
  /// ignores it and some programs write a wrong one.
  let elementSize: Int?
  let index: Index
  /// The address of the index, or of the chunks if there is no index; `nil` when no chunk was
  /// written.
  let address: Int?
  /// Whether chunks that extend beyond the edge of the dataset are not filtered.
  let leavesEdgesUnfiltered: Bool

  /// - Parameter sizes: The sizes of a chunk's dimensions and of an element.
  init(
    _ sizes: [Int], _ index: Index, _ address: Int?, _ field: Cursor,
    hasElementSize: Bool = true, leavesEdgesUnfiltered: Bool = false
  ) throws(WeighbridgeError) {
    guard let elementSize = sizes.last, sizes.count > 1, !sizes.contains(0) else {
      throw field.failure("the data layout has chunks of the sizes \(sizes)")
    }
    shape = Array(sizes.dropLast())
    self.elementSize = hasElementSize ? elementSize : nil
    self.index = index
    self.address = address
    self.leavesEdgesUnfiltered = leavesEdgesUnfiltered
  }

  /// Reads the remainder of a layout message of version 3, after the class.
  init(version3 body: inout Cursor) throws(WeighbridgeError) {
    let field = body
    let rank = Int(try body.byte())
    let address = try body.address()
    var sizes: [Int] = []
    for _ in 0..<rank { sizes.append(try body.count(4)) }
    try self.init(sizes, .bTree1, address, field)
  }

  /// Reads the remainder of a layout message of version 4 or 5, after the class.
  init(version4 body: inout Cursor) throws(WeighbridgeError) {
    let field = body
    let flags = try body.byte()
    let rank = Int(try body.byte())
    let width = Int(try body.byte())
    guard (1...8).contains(width) else {
      throw field.failure("the data layout has sizes of \(width) bytes")
    }
    var sizes: [Int] = []
    for _ in 0..<rank { sizes.append(try body.count(width)) }
    let index = try Self.index(&body, isFiltered: flags & 0b10 != 0)
    try self.init(
      sizes, index, body.address(), field, hasElementSize: false,
      leavesEdgesUnfiltered: flags & 1 != 0)
  }

  private static func index(
    _ body: inout Cursor, isFiltered: Bool
  ) throws(WeighbridgeError) -> Index {
    let field = body
    let type = try body.byte()
    switch type {
    case 1:
      guard isFiltered else { return .single(filtered: nil) }
      let byteCount = try body.length()
      return .single(filtered: (byteCount, UInt32(truncatingIfNeeded: try body.unsigned(4))))
    case 2: return .implicit
    // The parameters of the other indexes are also in their own headers.
    case 3:
      try body.skip(1)
      return .fixedArray
    case 4:
      try body.skip(5)
      return .extensibleArray
    case 5:
      try body.skip(6)
      return .bTree2
    default:
      throw field.failure(
        "the data layout has a chunk index of type \(type); 1 to 5 can be read", .unsupported)
    }
  }
}
