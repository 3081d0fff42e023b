import Bytes

/// Reads the objects of a file and resolves references between them.
struct ObjectReader: Sendable {
  let file: FileBytes
  /// The address of the root group's object header.
  let root: Int
  private let sharedMessages: SharedMessageTable?
  private let headers = RecentValues<ObjectHeader>(limit: 1 << 24, \.byteCount)
  /// The fractal heaps used last, with the blocks that have been read.
  private let heaps = RecentValues<FractalHeap>(limit: 0) { _ in 1 }

  /// Reads the superblock and its extension.
  ///
  /// - Throws: As ``Superblock/init(in:)``; ``WeighbridgeError/Code/unsupported`` for a file split
  ///   into several, or one with its metadata in a cache image.
  init(
    _ store: ByteStore, _ byteRange: Range<Int>, _ limits: HDF5File.Limits
  ) throws(WeighbridgeError) {
    var file = FileBytes(store, byteRange, limits)
    let superblock = try Superblock(in: file)
    file.baseAddress = superblock.baseAddress
    file.widths = superblock.widths
    self.file = file
    root = superblock.rootAddress
    var extensionHeader: ObjectHeader?
    if let address = superblock.extensionAddress {
      extensionHeader = try ObjectHeader(at: address, in: file)
    }
    guard superblock.driverAddress == nil, extensionHeader?.has(.driverInfo) != true else {
      throw .unsupported(
        "is part of a file split by HDF5's family or multi driver, which cannot be read; join the "
          + "parts with HDF5's h5repart or h5repack")
    }
    try Self.checkCacheImage(extensionHeader)
    var shared: SharedMessageTable?
    if let message = extensionHeader?.first(.sharedMessageTable) {
      shared = try SharedMessageTable(message, in: file)
    }
    sharedMessages = shared
  }

  /// Rejects a cache image, which contains newer metadata than the rest of the file.
  private static func checkCacheImage(_ header: ObjectHeader?) throws(WeighbridgeError) {
    guard var body = header?.first(.cacheImage)?.body else { return }
    _ = try body.version(0...0, of: "the cache image message")
    guard try body.address() == nil else {
      throw body.failure(
        "has its metadata in a cache image, which cannot be read; HDF5's h5repack writes it without",
        .unsupported)
    }
  }

  /// The size in memory up to which the header of a dataset is not kept: most datasets are read
  /// once, and a small header is quickly read again.
  private static let unkeptByteCount = 1 << 12

  /// Reads the header of the object at an address.
  func header(at address: Int) throws(WeighbridgeError) -> ObjectHeader {
    if let known = headers.value(at: address) { return known }
    let header = try ObjectHeader(at: address, in: file)
    if header.kind != .dataset || header.byteCount > Self.unkeptByteCount {
      headers.insert(header, at: address)
    }
    return header
  }

  /// Checks that a structure with links or attributes belongs to no other object.
  ///
  /// - Parameter what: The structure, for errors.
  func claim(
    _ address: Int, of what: String, for header: ObjectHeader
  ) throws(WeighbridgeError) {
    try file.headers.claim(
      address, for: header.address, of: what, place: file.baseAddress + header.address)
  }

  /// Calls `body` with the fractal heap at an address.
  func withHeap<Result>(
    at address: Int, _ body: (inout FractalHeap) throws(WeighbridgeError) -> Result
  ) throws(WeighbridgeError) -> Result {
    let known = heaps.remove(at: address)
    var heap = if let known { known } else { try FractalHeap(at: address, in: file) }
    defer { heaps.insert(heap, at: address) }
    return try body(&heap)
  }

  /// Returns the body of a message, or that of the shared message to which it refers.
  func body(of message: HeaderMessage) throws(WeighbridgeError) -> Cursor {
    guard message.isShared else { return message.body }
    var reference = message.body
    return try shared(message.kind, &reference)
  }

  /// Follows a reference to a shared message (section IV.A.2, "shared message").
  func shared(
    _ kind: HeaderMessage.Kind, _ reference: inout Cursor
  ) throws(WeighbridgeError) -> Cursor {
    let field = reference
    let version = try reference.version(1...3, of: "the reference to a shared message")
    let type = try reference.byte()
    // Version 1 has a whole entry of a symbol table: the offset of a name comes before the address.
    if version == 1 { try reference.skip(6 + reference.widths.length) }
    if version == 3, type == 1 {
      let identifier = try reference.slice(8)
      return try withHeap(at: sharedHeap(of: kind, field)) { (heap) throws(WeighbridgeError) in
        try heap.object(identifier)
      }
    }
    guard version < 3 || type == 2 else {
      throw field.failure("refers to a shared message with the unknown type \(type)")
    }
    let header = try header(at: reference.address(of: "the shared message"))
    guard let message = header.first(kind), !message.isShared else {
      throw field.failure("refers to a shared message that the object does not have")
    }
    return message.body
  }

  /// Returns the address of the heap of the shared messages of a kind.
  func sharedHeap(
    of kind: HeaderMessage.Kind, _ field: Cursor
  ) throws(WeighbridgeError) -> Int {
    guard let address = sharedMessages?.heap(of: kind) else {
      throw field.failure("refers to a shared message that the file does not have")
    }
    return address
  }
}
