import Bytes

/// The heaps of the messages that several objects share (HDF5 file format specification 3.0,
/// section III.I and the table message, IV.A.2.p).
struct SharedMessageTable: Sendable {
  /// The heaps and the kinds of message that each contains, one bit for each kind.
  private let heaps: [(kinds: Int, address: Int)]

  /// Reads the table that a message of the superblock extension refers to.
  init(_ message: HeaderMessage, in file: FileBytes) throws(WeighbridgeError) {
    var body = message.body
    _ = try body.version(0...0, of: "the shared message table's message")
    let address = try body.address(of: "the shared message table")
    let count = Int(try body.byte())
    let size = 4 + count * (14 + 2 * file.widths.offset) + 4
    var table = try file.checkedBlock(
      at: address, byteCount: size, of: "the shared message table")
    try table.signature("SMTB", of: "the shared message table")
    var heaps: [(kinds: Int, address: Int)] = []
    for _ in 0..<count {
      _ = try table.version(0...0, of: "the index of shared messages")
      try table.skip(1)
      let kinds = try table.count(2)
      try table.skip(4 + 2 + 2 + 2 + file.widths.offset)  // limits, counts and the index itself
      // A heap is created with its first message.
      if let address = try table.address() { heaps.append((kinds, address)) }
    }
    self.heaps = heaps
  }

  /// Returns the address of the fractal heap with the shared messages of a kind.
  func heap(of kind: HeaderMessage.Kind) -> Int? {
    heaps.first { $0.kinds & (1 << Int(kind.rawValue)) != 0 }?.address
  }
}
