import Bytes

/// A name in a group and its target.
struct Link: Sendable {
  /// The target of a link.
  enum Target: Sendable {
    /// The address of an object header.
    case hard(Int)
    /// A path within the file.
    case soft([UInt8])
    /// A path in another file: a byte, the file's name and the path, each with a zero at its end.
    case external([UInt8])
    /// A link of a kind defined by a program, with its number.
    case userDefined(UInt8)
  }

  let name: [UInt8]
  let target: Target

  init(name: [UInt8], target: Target) {
    self.name = name
    self.target = target
  }

  /// Reads a link message (HDF5 file format specification 3.0, section IV.A.2.g).
  init(_ body: Cursor) throws(WeighbridgeError) {
    var body = body
    _ = try body.version(1...1, of: "the link")
    let flags = try body.byte()
    let kind = flags & 0b1000 != 0 ? try body.byte() : 0
    if flags & 0b100 != 0 { try body.skip(8) }  // creation order
    if flags & 0b1_0000 != 0 { try body.skip(1) }  // ASCII or UTF-8
    name = try body.bytes(body.count(1 << Int(flags & 0b11)))
    let field = body
    switch kind {
    case 0: target = .hard(try body.address(of: "the object"))
    case 1: target = .soft(try body.bytes(body.count(2)))
    case 64:
      target = .external(try body.bytes(body.count(2)))
    case 65...: target = .userDefined(kind)
    default: throw field.failure("the link is of kind \(kind), which is not known", .unsupported)
    }
  }
}

/// The location of the links or attributes of an object that are not in its header (HDF5 file
/// format specification 3.0, sections IV.A.2.c and IV.A.2.v).
struct DenseStorage: Sendable {
  /// The addresses of their fractal heap and of the B-tree of their names.
  let heap: Int
  let names: Int

  /// Reads a link info or attribute info message; `nil` when all are in the header.
  init?(_ message: HeaderMessage) throws(WeighbridgeError) {
    var body = message.body
    _ = try body.version(0...0, of: "the info message")
    let flags = try body.byte()
    if flags & 1 != 0 { try body.skip(message.kind == .linkInfo ? 8 : 2) }
    guard let heap = try body.address() else { return nil }
    self.heap = heap
    names = try body.address(of: "the B-tree of names")
  }
}
