import Bytes

/// A B-tree of version 1 (HDF5 file format specification 3.0, section III.A.1), read from its first
/// leaf to its last.
struct BTree1 {
  /// The contents of a tree; the raw values are those of the format.
  enum Kind: UInt8 {
    case group = 0
    case chunks = 1
  }

  /// A child of a leaf, with the key before it.
  struct Child {
    let key: Cursor
    let address: Int
  }

  private let file: FileBytes
  private let kind: Kind
  private let keySize: Int
  private var budget: ReadingBudget
  /// The nodes that have not been read yet, with the next one last.
  private var pending: [(address: Int, level: UInt8?)]

  /// - Parameter keySize: The size of a key in bytes.
  init(at address: Int, _ kind: Kind, keySize: Int, in file: FileBytes) {
    self.file = file
    self.kind = kind
    self.keySize = keySize
    budget = ReadingBudget("the B-tree", in: file)
    pending = [(address, nil)]
  }

  /// Returns the children of the next leaf; `nil` after the last one.
  mutating func nextLeaf() throws(WeighbridgeError) -> [Child]? {
    while let (address, level) = pending.popLast() {
      let (nodeLevel, children) = try node(at: address, level)
      if nodeLevel == 0 { return children }
      for child in children.reversed() { pending.append((child.address, nodeLevel - 1)) }
    }
    return nil
  }

  /// Reads a node and checks its level if one is given.
  private mutating func node(
    at address: Int, _ level: UInt8?
  ) throws(WeighbridgeError) -> (level: UInt8, children: [Child]) {
    let headerSize = 8 + 2 * file.widths.offset
    var header = try file.block(at: address, byteCount: headerSize, of: "the B-tree's node")
    try header.signature("TREE", of: "the B-tree's node")
    let field = header
    let (type, nodeLevel) = (try header.byte(), try header.byte())
    guard type == kind.rawValue, level == nil || level == nodeLevel else {
      throw field.failure(
        "the B-tree's node is of type \(type) and level \(nodeLevel), "
          + "where type \(kind.rawValue)\(level.map { " and level \($0)" } ?? "") is expected")
    }
    let count = try header.count(2)
    let size = headerSize + count * (keySize + file.widths.offset) + keySize
    try budget.spend(size, at: address)
    var node = try file.block(at: address, byteCount: size, of: "the B-tree's node")
    try node.skip(headerSize)
    var children: [Child] = []
    children.reserveCapacity(count)
    for _ in 0..<count {
      let key = try node.slice(keySize)
      children.append(Child(key: key, address: try node.address(of: "a child of the B-tree")))
    }
    return (nodeLevel, children)
  }
}
