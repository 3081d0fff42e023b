import Bytes

/// The collections of variable-length values (HDF5 file format specification 3.0, section III.E)
/// that have been read so far.
struct GlobalHeap {
  private let file: FileBytes
  /// The objects of each collection by number.
  private var collections: [Int: [Int: Range<Int>]] = [:]
  private var budget: ReadingBudget

  init(_ file: FileBytes) {
    self.file = file
    budget = ReadingBudget("the global heap", in: file)
  }

  /// Returns the bytes of a value.
  ///
  /// - Parameter reference: A cursor at the value's size, the address of its collection and its
  ///   index there.
  /// - Returns: `nil` for a value that was never written.
  mutating func value(_ reference: inout Cursor) throws(WeighbridgeError) -> [UInt8]? {
    let field = reference
    let byteCount = try reference.count(4)
    let address = try reference.address()
    let index = try reference.count(4)
    guard let address, address > 0, byteCount > 0 else { return nil }
    guard let object = try objects(at: address)[index], byteCount <= object.count else {
      throw field.failure(
        "refers to \(byteCount) bytes of object \(index) of the global heap at \(address), "
          + "which has no such object")
    }
    return file.copy(object.lowerBound..<object.lowerBound + byteCount)
  }

  private mutating func objects(at address: Int) throws(WeighbridgeError) -> [Int: Range<Int>] {
    if let cached = collections[address] ?? file.collections.value(at: address) {
      return cached
    }
    // The size of the header of the collection and of each object, rounded up to a multiple of 8
    // bytes.
    let headerSize = (8 + file.widths.length + 7) / 8 * 8
    var header = try file.block(at: address, byteCount: headerSize, of: "the global heap")
    try header.signature("GCOL", of: "the global heap")
    _ = try header.version(1...1, of: "the global heap")
    try header.skip(3)
    let byteCount = try header.length()
    try budget.spend(byteCount, at: address)
    var block = try file.block(at: address, byteCount: byteCount, of: "the global heap")
    try block.skip(headerSize)
    var objects: [Int: Range<Int>] = [:]
    // A remainder too small for an object is free space, and so is object 0, which is the last.
    while block.remaining >= headerSize {
      let objectStart = block.fileOffset
      let index = try block.count(2)
      guard index != 0 else { break }
      try block.skip(6)
      let size = try block.length()
      try block.skip(headerSize - 8 - file.widths.length)
      let start = block.fileOffset
      guard objects.updateValue(start..<start + min(size, block.remaining), forKey: index) == nil
      else { throw block.failure("the global heap has two objects \(index)", at: objectStart) }
      let (padded, overflow) = size.addingReportingOverflow(7)
      guard !overflow else {
        throw block.failure("the global heap has an object beyond its end", at: objectStart)
      }
      try block.skip(padded / 8 * 8)
    }
    collections[address] = objects
    file.collections.insert(objects, at: address)
    return objects
  }
}
