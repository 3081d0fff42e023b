import Bytes

/// Reads the blocks of an object header one after another (HDF5 file format specification 3.0,
/// sections IV.A.1 and IV.A.2.q).
struct HeaderBlocks {
  private let file: FileBytes
  /// The address of the header.
  private let address: Int
  /// The messages of known kinds.
  private(set) var messages: [HeaderMessage] = []
  /// The size of the blocks that have been read.
  private(set) var byteCount = 0
  /// The continuation blocks that have not been read yet.
  private var pending: [(address: Int, byteCount: Int)] = []
  private var budget: ReadingBudget
  private var isVersion2 = false
  private var hasCreationOrder = false

  init(_ file: FileBytes, at address: Int) {
    self.file = file
    self.address = address
    budget = ReadingBudget("the object header", in: file)
  }

  /// Reads a header of version 1.
  ///
  /// - Parameter start: The first bytes of the header.
  mutating func readVersion1(_ start: Cursor) throws(WeighbridgeError) {
    var prefix = start
    guard try prefix.byte() == 1 else { throw start.failure("there is no object header") }
    try prefix.skip(1)
    let field = prefix
    // Old versions of HDF5 counted some messages wrongly; the blocks' sizes are decisive.
    let messageCount = try prefix.count(2)
    try prefix.skip(4)  // the number of links to the object
    let byteCount = try prefix.count(4)
    guard messageCount == 0 || byteCount >= 8 else {
      throw field.failure(
        "the object header has \(byteCount) bytes and says that it has \(messageCount) messages")
    }
    try read(start, at: address, skipping: 16, byteCount: 16 + byteCount)
    try readContinuations()
  }

  /// Reads a header of version 2, whose blocks have signatures and checksums.
  mutating func readVersion2(_ start: Cursor) throws(WeighbridgeError) {
    isVersion2 = true
    var prefix = start
    try prefix.skip(4)
    _ = try prefix.version(2...2, of: "the object header")
    let flags = try prefix.byte()
    hasCreationOrder = flags & 0b100 != 0
    if flags & 0b10_0000 != 0 { try prefix.skip(16) }  // times
    if flags & 0b1_0000 != 0 { try prefix.skip(4) }  // when attributes are stored densely
    let byteCount = try prefix.count(1 << Int(flags & 0b11))
    let prefixSize = prefix.fileOffset - start.fileOffset
    let totalSize = try Checked.sum(byteCount, prefixSize + 4, of: "the size of the object header")
    try read(start, at: address, skipping: prefixSize, byteCount: totalSize)
    try readContinuations()
  }

  private mutating func readContinuations() throws(WeighbridgeError) {
    while let (address, byteCount) = pending.popLast() {
      let start = try file.beginning(at: address, atMost: 4, of: "a continuation block")
      if isVersion2 {
        var signature = start
        try signature.signature("OCHK", of: "the continuation block")
      }
      try read(start, at: address, skipping: isVersion2 ? 4 : 0, byteCount: byteCount)
    }
  }

  /// Reads the messages of a block.
  ///
  /// - Parameters:
  ///   - start: The bytes of the block that have been read so far.
  ///   - prefixSize: The size of the bytes before the messages.
  ///   - byteCount: The size of the whole block.
  private mutating func read(
    _ start: Cursor, at address: Int, skipping prefixSize: Int, byteCount: Int
  ) throws(WeighbridgeError) {
    try budget.spend(byteCount, at: address)
    try file.headers.claim(
      address, byteCount: byteCount, for: self.address, of: "the object header",
      place: start.fileOffset)
    self.byteCount += byteCount
    var block = start
    if byteCount <= start.remaining {
      block = try block.slice(byteCount)
    } else {
      block = try file.block(at: address, byteCount: byteCount, of: "the object header's block")
    }
    if isVersion2 { try block.checkChecksum(of: "the object header") }
    try block.skip(prefixSize)
    // In version 2, a remainder too small for a message is a gap.
    let minimumSize = isVersion2 ? (hasCreationOrder ? 6 : 4) : 1
    while block.remaining >= minimumSize { try readMessage(&block) }
  }

  private mutating func readMessage(_ block: inout Cursor) throws(WeighbridgeError) {
    let start = block.fileOffset
    let type = UInt16(try block.count(isVersion2 ? 1 : 2))
    let byteCount = try block.count(2)
    let flags = try block.byte()
    if !isVersion2 { try block.skip(3) }
    if hasCreationOrder { try block.skip(2) }
    let kind = HeaderMessage.Kind(rawValue: type)
    guard type <= 0x18 || flags & 0x80 == 0 else {
      throw block.failure(
        "the object header has a message of type \(type), which is not known and must not be skipped",
        .unsupported, at: start)
    }
    let body = try block.slice(byteCount)
    guard let kind else { return }
    let message = HeaderMessage(kind: kind, isShared: flags & 0b10 != 0, body: body)
    messages.append(message)
    guard kind == .continuation else { return }
    try readContinuation(message.body)
  }
  private mutating func readContinuation(_ message: Cursor) throws(WeighbridgeError) {
    var body = message
    let address = try body.address(of: "the continuation block")
    let field = body
    let byteCount = try body.length()
    guard byteCount > 0 else { throw field.failure("the continuation block has no bytes") }
    pending.append((address, byteCount))
  }
}
