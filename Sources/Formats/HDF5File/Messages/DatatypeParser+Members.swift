import Bytes

/// Types that contain other types.
extension DatatypeParser {
  mutating func members(
    _ count: Int, _ version: UInt8, _ size: Int, _ body: inout Cursor, _ depth: Int
  ) throws(WeighbridgeError) -> [Datatype.Member] {
    var members: [Datatype.Member] = []
    for _ in 0..<count {
      let field = body
      _ = try name(version, &body)
      let width = version < 3 ? 4 : (size.bitWidth - size.leadingZeroBitCount + 7) / 8
      let offset = try body.count(width)
      var sizes: [Int] = []
      if version == 1 {
        let rank = Int(try body.byte())
        try body.skip(11)
        for index in 0..<4 {
          let size = try body.count(4)
          if index < rank { sizes.append(size) }
        }
      }
      var type = try type(&body, depth: depth + 1)
      if !sizes.isEmpty {
        let byteCount = try Checked.product(sizes + [type.size], of: "the size of a member")
        type = Datatype(kind: .array(sizes, type), size: byteCount)
      }
      guard offset <= size, type.size <= size - offset else {
        throw field.failure("the datatype has a member outside its \(size) bytes")
      }
      members.append(Datatype.Member(offset: offset, type: type))
    }
    return members
  }

  /// Reads a name, which versions 1 and 2 pad with zeros to a multiple of 8 bytes.
  private func name(
    _ version: UInt8, _ body: inout Cursor
  ) throws(WeighbridgeError) -> ArraySlice<UInt8> {
    let name = try body.terminatedBytes()
    if version < 3 { try body.skip((8 - (name.count + 1) % 8) % 8) }
    return name
  }

  mutating func enumeration(
    _ count: Int, _ version: UInt8, _ size: Int, _ body: inout Cursor, _ depth: Int
  ) throws(WeighbridgeError) -> Datatype.Kind {
    let field = body
    let base = try type(&body, depth: depth + 1)
    guard case .integer = base.kind, base.size == size else {
      throw field.failure("the datatype is an enumeration that is not of integers")
    }
    // h5py's boolean is an enumeration of one byte. Members of other enumerations are not needed.
    let isBool = size == 1 && count == 2
    var members: [(name: [UInt8], value: [UInt8])] = []
    for _ in 0..<count {
      let name = try name(version, &body)
      if isBool { members.append((Array(name), [])) }
    }
    for index in members.indices { members[index].value = try body.bytes(size) }
    if !isBool { try body.skip(count * size) }
    return .enumeration(base, isBool: isBool && Self.areBool(members))
  }

  private static func areBool(_ members: [(name: [UInt8], value: [UInt8])]) -> Bool {
    func has(_ name: String, _ value: UInt8) -> Bool {
      members.contains { $0.name.elementsEqual(name.utf8) && $0.value == [value] }
    }
    return has("FALSE", 0) && has("TRUE", 1)
  }

  mutating func array(
    _ version: UInt8, _ size: Int, _ body: inout Cursor, _ depth: Int
  ) throws(WeighbridgeError) -> Datatype.Kind {
    let field = body
    let rank = Int(try body.byte())
    if version < 3 { try body.skip(3) }
    var sizes: [Int] = []
    for _ in 0..<rank { sizes.append(try body.count(4)) }
    if version < 3 { try body.skip(4 * rank) }
    let base = try type(&body, depth: depth + 1)
    guard rank > 0, try Checked.product(sizes + [base.size], of: "an array's size") == size else {
      throw field.failure("the datatype is an array of \(sizes), which does not take \(size) bytes")
    }
    return .array(sizes, base)
  }
}
