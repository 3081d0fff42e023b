import Bytes

/// A B-tree of version 2 (HDF5 file format specification 3.0, section III.A.2), read from its first
/// record to its last.
struct BTree2 {
  /// The type of the records: a number of the format.
  let type: UInt8
  /// The size of a record in bytes.
  let recordSize: Int
  private let file: FileBytes
  private let headerAddress: Int
  private var budget: ReadingBudget
  private let root: Node?
  /// The number of records according to the header.
  let count: Int
  /// For each level of nodes, from the leaves up: the largest number of records in a node, and the
  /// size in bytes of the count of all records below a node.
  private let levels: [(limit: Int, totalWidth: Int)]

  /// A node that has not been read yet.
  private struct Node {
    let address: Int
    let count: Int
    let level: Int
  }

  /// The size of a node's signature, version, type and checksum.
  private static let overhead = 10

  /// Reads the header.
  init(at address: Int, in file: FileBytes) throws(WeighbridgeError) {
    self.file = file
    headerAddress = address
    budget = ReadingBudget("the B-tree", in: file)
    var header = try file.checkedBlock(
      at: address, byteCount: 22 + file.widths.offset + file.widths.length,
      of: "the B-tree's header")
    try header.signature("BTHD", of: "the B-tree's header")
    _ = try header.version(0...0, of: "the B-tree")
    type = try header.byte()
    let field = header
    let nodeSize = try header.count(4)
    recordSize = try header.count(2)
    let depth = try header.count(2)
    try header.skip(2)  // the thresholds for splitting and merging nodes
    let rootAddress = try header.address()
    let rootCount = try header.count(2)
    count = try header.length()
    guard recordSize > 0, depth < 64, nodeSize >= Self.overhead + recordSize else {
      throw field.failure(
        "the B-tree has nodes of \(nodeSize) bytes, records of \(recordSize) and depth \(depth)")
    }
    levels = try Self.levels(nodeSize, recordSize, depth, file.widths.offset, field)
    root = rootAddress.map { Node(address: $0, count: rootCount, level: depth) }
    guard root != nil || count == 0 else {
      throw field.failure("the B-tree has \(count) records and no root")
    }
  }

  private static func levels(
    _ nodeSize: Int, _ recordSize: Int, _ depth: Int, _ offsetSize: Int, _ field: Cursor
  ) throws(WeighbridgeError) -> [(limit: Int, totalWidth: Int)] {
    var levels = [(limit: (nodeSize - overhead) / recordSize, totalWidth: 0)]
    var total = levels[0].limit
    for _ in 0..<depth {
      let pointerSize = offsetSize + width(levels[0].limit) + (levels.last?.totalWidth ?? 0)
      let limit = (nodeSize - overhead - pointerSize) / (recordSize + pointerSize)
      let (product, overflow) = total.multipliedReportingOverflow(by: limit + 1)
      let (sum, carry) = product.addingReportingOverflow(limit)
      guard limit > 0, !overflow, !carry else {
        throw field.failure("the B-tree is deeper than its nodes can be")
      }
      total = sum
      levels.append((limit, width(total)))
    }
    return levels
  }

  /// The number of bytes that a number takes.
  private static func width(_ number: Int) -> Int {
    max(1, (number.bitWidth - number.leadingZeroBitCount + 7) / 8)
  }

  /// Reads all records, in order.
  mutating func records() throws(WeighbridgeError) -> [Cursor] {
    var records: [Cursor] = []
    try visit { records.append($0) }
    return records
  }

  /// Calls `visit` with each record, in order.
  mutating func visit(
    _ visit: (Cursor) throws(WeighbridgeError) -> Void
  ) throws(WeighbridgeError) {
    var visitedCount = 0
    if let root {
      try read(root) { (record) throws(WeighbridgeError) in
        visitedCount += 1
        try visit(record)
      }
    }
    guard visitedCount == count else {
      throw .malformed("the B-tree has \(visitedCount) records, but says that it has \(count)")
        .at(.byte(file.baseAddress + headerAddress))
    }
  }

  /// Reads a node and those below it; the depth is known to be small.
  private mutating func read(
    _ node: Node, _ visit: (Cursor) throws(WeighbridgeError) -> Void
  ) throws(WeighbridgeError) {
    let isLeaf = node.level == 0
    let countWidth = Self.width(levels[0].limit)
    let totalWidth = isLeaf ? 0 : levels[node.level - 1].totalWidth
    let pointerSize = isLeaf ? 0 : file.widths.offset + countWidth + totalWidth
    let size = Self.overhead + node.count * recordSize + (isLeaf ? 0 : node.count + 1) * pointerSize
    try budget.spend(size, at: node.address)
    var block = try file.checkedBlock(
      at: node.address, byteCount: size, of: "the B-tree's node")
    try block.signature(isLeaf ? "BTLF" : "BTIN", of: "the B-tree's node")
    _ = try block.version(0...0, of: "the B-tree's node")
    let field = block
    guard try block.byte() == type, node.count <= levels[node.level].limit else {
      throw field.failure("the B-tree's node does not fit its tree")
    }
    var records = try block.slice(node.count * recordSize)
    for index in 0..<node.count + (isLeaf ? 0 : 1) {
      if !isLeaf {
        let address = try block.address(of: "a child of the B-tree")
        let count = try block.count(countWidth)
        if totalWidth > 0 { try block.skip(totalWidth) }
        try read(Node(address: address, count: count, level: node.level - 1), visit)
      }
      if index < node.count { try visit(records.slice(recordSize)) }
    }
  }
}
