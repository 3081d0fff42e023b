import Bytes

/// An attribute of an object (HDF5 file format specification 3.0, section IV.A.2.m).
struct AttributeMessage: Sendable {
  let name: [UInt8]
  private let version: UInt8
  private let flags: UInt8
  private let sizes: (type: Int, space: Int)
  /// The datatype, the dataspace and the value.
  private let remainder: Cursor

  /// Reads the name; ``parts(_:)`` reads the remainder.
  init(_ body: Cursor) throws(WeighbridgeError) {
    var body = body
    version = try body.version(1...3, of: "the attribute")
    flags = try body.byte()
    let nameSize = try body.count(2)
    sizes = (try body.count(2), try body.count(2))
    if version == 3 { try body.skip(1) }  // ASCII or UTF-8
    let field = body
    let name = try body.bytes(nameSize)
    guard let end = name.firstIndex(of: 0) else {
      throw field.failure("an attribute's name has no end")
    }
    self.name = Array(name[..<end])
    if version == 1 { try body.skip((8 - nameSize % 8) % 8) }
    remainder = body
  }

  /// Reads the datatype, the dataspace and the value's bytes.
  func parts(
    _ reader: ObjectReader
  ) throws(WeighbridgeError) -> (type: Datatype, space: Dataspace, value: Cursor) {
    var body = remainder
    let type = try part(.datatype, sizes.type, flags & 1 != 0, &body, reader)
    let space = try part(.dataspace, sizes.space, flags & 2 != 0, &body, reader)
    return (try DatatypeParser.type(type), try Dataspace(space), body)
  }

  private func part(
    _ kind: HeaderMessage.Kind, _ size: Int, _ isShared: Bool, _ body: inout Cursor,
    _ reader: ObjectReader
  ) throws(WeighbridgeError) -> Cursor {
    var part = try body.slice(size)
    if version == 1 { try body.skip((8 - size % 8) % 8) }
    return version > 1 && isShared ? try reader.shared(kind, &part) : part
  }
}
