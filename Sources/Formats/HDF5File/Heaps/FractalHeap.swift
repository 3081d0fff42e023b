import Bytes

/// The heap of the links of a large group or of an object's many attributes (HDF5 file format
/// specification 3.0, section III.G).
struct FractalHeap {
  let file: FileBytes
  let headerAddress: Int
  let table: DoublingTable
  /// The sizes in bytes of a block's or object's position and of an object's length.
  let positionWidth: Int
  private let lengthWidth: Int
  let pipeline: FilterPipeline
  private let idLength: Int
  let hasChecksums: Bool
  private let hugeTree: Int?
  let root: Root
  /// The objects that are too large for blocks, by number; read when one is first requested.
  private var hugeObjects: [Int: HugeObject]?
  var blocks = HeapBlocks()
  /// The blocks and huge objects that have been read, which do not overlap.
  private var budget: ReadingBudget
  private var knownAddresses: Set<Int> = []
  /// Their size, uncompressed.
  private var knownByteCount = 0

  /// The root block, which contains objects if it has no rows.
  struct Root {
    let address: Int?
    let rowCount: Int
    /// The stored size and filter mask of a filtered block; only for one with objects.
    let filtered: (byteCount: Int, mask: UInt32)?
  }

  /// Reads the header.
  init(at address: Int, in file: FileBytes) throws(WeighbridgeError) {
    self.file = file
    budget = ReadingBudget("the fractal heap", in: file)
    headerAddress = address
    let (offset, length) = (file.widths.offset, file.widths.length)
    var size = 26 + 3 * offset + 12 * length
    var start = try file.beginning(at: address, atMost: 9, of: "the fractal heap")
    try start.skip(7)
    let filterLength = try start.count(2)
    if filterLength > 0 { size += length + 4 + filterLength }
    var header = try file.checkedBlock(at: address, byteCount: size, of: "the fractal heap")
    try header.signature("FRHP", of: "the fractal heap")
    _ = try header.version(0...0, of: "the fractal heap")
    idLength = try header.count(2)
    try header.skip(2)
    hasChecksums = try header.byte() & 2 != 0
    let largestObject = try header.count(4)
    try header.skip(length)  // the number of the next huge object
    hugeTree = try header.address()
    try header.skip(9 * length + offset)  // counts and free space
    let field = header
    let (width, startSize) = (try header.count(2), try header.length())
    let (largestDirectSize, bits) = (try header.length(), try header.count(2))
    table = try DoublingTable(
      width: width, startSize: startSize, largestDirectSize: largestDirectSize, heapBits: bits,
      field)
    positionWidth = (bits + 7) / 8
    lengthWidth = min(Self.width(largestDirectSize), Self.width(largestObject))
    try header.skip(2)
    let rootAddress = try header.address()
    let rowCount = try header.count(2)
    guard rowCount <= 64 else { throw field.failure("the fractal heap has \(rowCount) rows") }
    guard filterLength > 0 else {
      pipeline = .none
      root = Root(address: rootAddress, rowCount: rowCount, filtered: nil)
      return
    }
    let stored = try header.length()
    let mask = UInt32(truncatingIfNeeded: try header.unsigned(4))
    pipeline = try FilterPipeline(header)
    root = Root(address: rootAddress, rowCount: rowCount, filtered: (stored, mask))
  }

  /// Returns the number of bytes required for integers below a number.
  private static func width(_ number: Int) -> Int {
    number <= 1 ? 1 : (number.bitWidth - 1 - number.leadingZeroBitCount + 7) / 8
  }

  /// Returns the bytes of one of several objects, which do not overlap: otherwise a crafted file
  /// could make one object be copied a million times.
  ///
  /// - Parameters:
  ///   - identifier: The object's identifier.
  ///   - byteCount: The size of the objects so far, to which that of this one is added.
  mutating func distinctObject(
    _ identifier: Cursor, _ byteCount: inout Int
  ) throws(WeighbridgeError) -> Cursor {
    let object = try object(identifier)
    // A smaller object may be in its identifier.
    guard object.remaining >= identifier.remaining else { return object }
    byteCount += object.remaining
    guard byteCount <= knownByteCount else {
      throw identifier.failure("the fractal heap has objects that overlap")
    }
    return object
  }

  /// Counts a block or huge object when it is read for the first time.
  ///
  /// - Parameters:
  ///   - storedByteCount: The size in the file.
  ///   - byteCount: The size after decompression.
  mutating func count(
    _ storedByteCount: Int, at address: Int, decodedTo byteCount: Int
  ) throws(WeighbridgeError) {
    guard !knownAddresses.contains(address) else { return }
    try budget.spend(storedByteCount, at: address)
    knownAddresses.insert(address)
    let (sum, overflow) = knownByteCount.addingReportingOverflow(byteCount)
    knownByteCount = overflow ? .max : sum
  }

  /// Returns the bytes of an object.
  ///
  /// - Parameter identifier: The object's identifier (section III.G, "fractal heap ID").
  mutating func object(_ identifier: Cursor) throws(WeighbridgeError) -> Cursor {
    var identifier = identifier
    let field = identifier
    let flags = try identifier.byte()
    guard flags >> 6 == 0 else {
      throw field.failure("a heap ID has version \(flags >> 6); 0 can be read", .unsupported)
    }
    switch flags >> 4 & 0b11 {
    case 0:
      let position = try identifier.count(positionWidth)
      return try managedObject(at: position, byteCount: identifier.count(lengthWidth), field)
    case 1: return try hugeObject(&identifier)
    case 2:
      // Short identifiers have four bits for the length, others twelve.
      var byteCount = Int(flags & 0xF)
      if idLength > 18 { byteCount = byteCount << 8 | Int(try identifier.byte()) }
      return try identifier.slice(byteCount + 1)
    default: throw field.failure("a heap ID is of a kind that is not known")
    }
  }

  private mutating func hugeObject(_ identifier: inout Cursor) throws(WeighbridgeError) -> Cursor {
    let field = identifier
    let isFiltered = !pipeline.steps.isEmpty
    let locationSize = file.widths.offset + file.widths.length
    let directSize = isFiltered ? locationSize + 4 + file.widths.length : locationSize
    if directSize <= idLength - 1 {
      return try HugeObject(&identifier, isFiltered: isFiltered).contents(in: &self)
    }
    let number = try identifier.count(min(8, idLength - 1))
    if hugeObjects == nil {
      guard let hugeTree else { throw field.failure("the fractal heap has no huge objects") }
      hugeObjects = try HugeObject.all(at: hugeTree, isFiltered: isFiltered, in: file)
    }
    guard let object = hugeObjects?[number] else {
      throw field.failure("the fractal heap has no huge object \(number)")
    }
    return try object.contents(in: &self)
  }
}
