import Bytes

/// The header of a group, dataset or named datatype (HDF5 file format specification 3.0, section
/// IV.A): the messages that describe the object.
struct ObjectHeader: Sendable {
  /// The kind of an object.
  enum Kind: Sendable { case group, dataset, datatype, unknown }

  let address: Int
  /// The messages of known kinds, in the order of the file.
  let messages: [HeaderMessage]
  /// The first message of each kind that there is.
  private let firstMessages: [HeaderMessage]
  /// The kinds of the messages, as bits by their raw values.
  private let kinds: UInt32
  /// The approximate size of the header in memory.
  let byteCount: Int

  /// The number of bytes that are read first; most headers are not larger.
  private static let initialByteCount = 512

  /// Reads the header at an address with all its continuation blocks.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed``; ``WeighbridgeError/Code/unsupported`` for an
  ///   unknown message that must be understood.
  init(at address: Int, in file: FileBytes) throws(WeighbridgeError) {
    self.address = address
    var blocks = HeaderBlocks(file, at: address)
    let start = try file.beginning(
      at: address, atMost: Self.initialByteCount, of: "the object header")
    if start.begins(with: "OHDR") {
      try blocks.readVersion2(start)
    } else {
      try blocks.readVersion1(start)
    }
    messages = blocks.messages
    var (firstMessages, kinds) = ([HeaderMessage](), UInt32(0))
    for message in messages where kinds & message.kind.bit == 0 {
      firstMessages.append(message)
      kinds |= message.kind.bit
    }
    (self.firstMessages, self.kinds) = (firstMessages, kinds)
    byteCount = Self.initialByteCount + blocks.byteCount + 128 * messages.count
  }

  /// The first message of a kind.
  func first(_ kind: HeaderMessage.Kind) -> HeaderMessage? {
    has(kind) ? firstMessages.first { $0.kind == kind } : nil
  }

  func has(_ kind: HeaderMessage.Kind) -> Bool { kinds & kind.bit != 0 }

  /// The kind of the object, determined by its messages.
  var kind: Kind {
    if has(.symbolTable) || has(.linkInfo) { return .group }
    if has(.datatype) { return has(.dataLayout) ? .dataset : .datatype }
    return .unknown
  }
}

extension HeaderMessage.Kind {
  /// The bit of a kind in a set of them; no raw value is larger than 31.
  fileprivate var bit: UInt32 { 1 << UInt32(rawValue) }
}
