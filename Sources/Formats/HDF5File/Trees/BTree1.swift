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
  private var waiting: [(address: Int, level: UInt8?)]

  /// - Parameter keySize: The size of a key in bytes.
  init(at address: Int, _ kind: Kind, keySize: Int, in file: FileBytes) {
    self.file = file
    self.kind = kind
    self.keySize = keySize
    budget = ReadingBudget("the B-tree", in: file)
    waiting = [(address, nil)]
  }

  /// Returns the children of the next leaf; `nil` after the last one.
  mutating func nextLeaf() throws(WeighbridgeError) -> [Child]? {
    while let (address, level) = waiting.popLast() {
      let (found, children) = try node(at: address, level)
      if found == 0 { return children }
      for child in children.reversed() { waiting.append((child.address, found - 1)) }
    }
    return nil
  }

  /// Reads a node and checks its level, if a level is given.
  private mutating func node(
    at address: Int, _ level: UInt8?
  ) throws(WeighbridgeError) -> (level: UInt8, children: [Child]) {
    let headSize = 8 + 2 * file.widths.offset
    var head = try file.block(at: address, byteCount: headSize, of: "the B-tree's node")
    try head.signature("TREE", of: "the B-tree's node")
    let place = head
    let (type, found) = (try head.byte(), try head.byte())
    guard type == kind.rawValue, level == nil || level == found else {
      throw place.failure(
        "the B-tree's node is of type \(type) and level \(found), "
          + "where type \(kind.rawValue)\(level.map { " and level \($0)" } ?? "") is expected")
    }
    let count = try head.count(2)
    let size = headSize + count * (keySize + file.widths.offset) + keySize
    try budget.spend(size, at: address)
    var node = try file.block(at: address, byteCount: size, of: "the B-tree's node")
    try node.skip(headSize)
    var children: [Child] = []
    children.reserveCapacity(count)
    for _ in 0..<count {
      let key = try node.part(keySize)
      children.append(Child(key: key, address: try node.address(of: "a child of the B-tree")))
    }
    return (found, children)
  }
}
