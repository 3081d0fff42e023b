import Bytes

extension ObjectReader {
  /// Returns the links of a group, sorted by the bytes of their names; `nil` for an object that is
  /// not a group.
  ///
  /// - Parameter limit: The largest number of links.
  func links(of header: ObjectHeader, atMost limit: Int) throws(WeighbridgeError) -> [Link]? {
    guard header.kind == .group else { return nil }
    var links: [Link] = []
    if let message = header.first(.symbolTable) {
      links = try symbolTable(of: header, body(of: message), atMost: limit)
    } else {
      for message in header.messages where message.kind == .link {
        links.append(try Link(body(of: message)))
      }
      if let message = header.first(.linkInfo), let dense = try DenseStorage(message) {
        links += try denseLinks(of: header, dense, atMost: limit)
      }
    }
    guard links.count <= limit else { throw Self.tooMany(limit, "members") }
    links.sort { $0.name.lexicographicallyPrecedes($1.name) }
    for (link, next) in zip(links, links.dropFirst()) where link.name == next.name {
      throw .malformed("has two members \"\(String(decoding: link.name, as: UTF8.self))\"")
    }
    return links
  }

  static func tooMany(_ limit: Int, _ what: String) -> WeighbridgeError {
    WeighbridgeError(.limitExceeded, "has more than \(limit) \(what)")
  }

  /// Returns the links of a group with a B-tree and a local heap (HDF5 file format specification
  /// 3.0, sections IV.A.2.r, III.B and III.C).
  private func symbolTable(
    of header: ObjectHeader, _ message: Cursor, atMost limit: Int
  ) throws(WeighbridgeError) -> [Link] {
    var message = message
    let treeAddress = try message.address(of: "the group's B-tree")
    let heapAddress = try message.address(of: "the group's local heap")
    try claim(treeAddress, of: "the group's B-tree", for: header)
    try claim(heapAddress, of: "the group's local heap", for: header)
    var tree = BTree1(at: treeAddress, .group, keySize: file.widths.length, in: file)
    var heap = try LocalHeap(at: heapAddress, in: file)
    var budget = ReadingBudget("the group", in: file)
    var links: [Link] = []
    while let leaf = try tree.nextLeaf() {
      for child in leaf {
        try symbols(at: child.address, &heap, &budget, &links)
        guard links.count <= limit else { throw Self.tooMany(limit, "members") }
      }
    }
    return links
  }

  /// Reads the entries of a symbol table node.
  private func symbols(
    at address: Int, _ heap: inout LocalHeap, _ budget: inout ReadingBudget, _ links: inout [Link]
  ) throws(WeighbridgeError) {
    var header = try file.block(at: address, byteCount: 8, of: "the symbol table node")
    try header.signature("SNOD", of: "the symbol table node")
    _ = try header.version(1...1, of: "the symbol table node")
    try header.skip(1)
    let count = try header.count(2)
    let size = 8 + count * (24 + 2 * file.widths.offset)
    try budget.spend(size, at: address)
    var node = try file.block(at: address, byteCount: size, of: "the symbol table node")
    try node.skip(8)
    for _ in 0..<count {
      let name = try heap.string(at: node.count(file.widths.offset))
      let start = node.fileOffset
      let objectAddress = try node.address()
      let type = try node.count(4)
      try node.skip(4)
      var scratch = try node.slice(16)
      if type == 2 {
        links.append(Link(name: name, target: .soft(try heap.string(at: scratch.count(4)))))
      } else if let objectAddress {
        links.append(Link(name: name, target: .hard(objectAddress)))
      } else {
        throw node.failure("the symbol table has a member without an address", at: start)
      }
    }
  }

  /// Returns the links in a fractal heap, indexed by name in a B-tree.
  private func denseLinks(
    of header: ObjectHeader, _ storage: DenseStorage, atMost limit: Int
  ) throws(WeighbridgeError) -> [Link] {
    try claim(storage, for: header)
    var tree = try BTree2(at: storage.names, in: file)
    guard tree.type == 5, tree.recordSize == 11 else {
      throw .malformed(
        "has a B-tree of type \(tree.type) with records of \(tree.recordSize) bytes for its members, "
          + "expected 5 and 11")
    }
    guard tree.count <= limit else { throw Self.tooMany(limit, "members") }
    var heap = try FractalHeap(at: storage.heap, in: file)
    var (links, byteCount) = ([Link](), 0)
    for var record in try tree.records() {
      try record.skip(4)  // the name's hash
      links.append(try Link(heap.distinctObject(record, &byteCount)))
    }
    return links
  }

  /// Checks that the links or attributes in a fractal heap belong to no other object.
  func claim(_ storage: DenseStorage, for header: ObjectHeader) throws(WeighbridgeError) {
    try claim(storage.names, of: "the B-tree of names", for: header)
    try claim(storage.heap, of: "the fractal heap", for: header)
  }
}
