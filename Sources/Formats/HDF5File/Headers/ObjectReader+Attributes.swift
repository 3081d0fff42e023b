import Bytes

/// An attribute of an object: its name, and its message or the message's location.
struct AttributeEntry: Sendable {
  /// The location of an attribute's message.
  ///
  /// The message itself has padding between its fields. Swift 6.3 would store the enum's case in
  /// one of the bits of the padding, which are not set for a message, so that a message could be
  /// taken for a location in a heap.
  enum Location: Sendable {
    case header(Cursor)
    /// In the object's fractal heap or in that of shared messages, with an identifier.
    case heap(Int, identifier: Cursor)
  }

  let name: [UInt8]
  let location: Location
}

extension ObjectReader {
  /// Returns the attributes of an object, sorted by the bytes of their names.
  ///
  /// - Parameter limit: The largest number of attributes.
  func attributes(
    of header: ObjectHeader, atMost limit: Int
  ) throws(WeighbridgeError) -> [AttributeEntry] {
    var entries: [AttributeEntry] = []
    for message in header.messages where message.kind == .attribute {
      let body = try body(of: message)
      entries.append(AttributeEntry(name: try AttributeMessage(body).name, location: .header(body)))
    }
    if let message = header.first(.attributeInfo), let dense = try DenseStorage(message) {
      entries += try denseAttributes(of: header, dense, atMost: limit)
    }
    guard entries.count <= limit else { throw Self.tooMany(limit, "attributes") }
    entries.sort { $0.name.lexicographicallyPrecedes($1.name) }
    return entries
  }

  /// Returns the attributes in a fractal heap, indexed by name in a B-tree.
  private func denseAttributes(
    of header: ObjectHeader, _ storage: DenseStorage, atMost limit: Int
  ) throws(WeighbridgeError) -> [AttributeEntry] {
    try claim(storage, for: header)
    var tree = try BTree2(at: storage.names, in: file)
    guard tree.type == 8, tree.recordSize == 17 else {
      throw .malformed(
        "has a B-tree of type \(tree.type) with records of \(tree.recordSize) bytes for its "
          + "attributes, expected 8 and 17")
    }
    guard tree.count <= limit else { throw Self.tooMany(limit, "attributes") }
    var entries: [AttributeEntry] = []
    var byteCounts: [Int: Int] = [:]
    for var record in try tree.records() {
      let identifier = try record.slice(8)
      let isShared = try record.byte() & 2 != 0
      let address = isShared ? try sharedHeap(of: .attribute, record) : storage.heap
      let message = try withHeap(at: address) { (heap) throws(WeighbridgeError) in
        try AttributeMessage(heap.distinctObject(identifier, &byteCounts[address, default: 0]))
      }
      entries.append(
        AttributeEntry(name: message.name, location: .heap(address, identifier: identifier)))
    }
    return entries
  }

  /// Returns the message of an attribute.
  func message(of entry: AttributeEntry) throws(WeighbridgeError) -> AttributeMessage {
    switch entry.location {
    case .header(let body): return try AttributeMessage(body)
    case .heap(let address, let identifier):
      return try withHeap(at: address) { (heap) throws(WeighbridgeError) in
        try AttributeMessage(heap.object(identifier))
      }
    }
  }
}
