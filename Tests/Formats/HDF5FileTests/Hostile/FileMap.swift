import Bytes
import CHDF5
import HDF5Writing

/// Where the structures of an intact file are, so that they can be damaged.
struct FileMap {
  /// A place in a file.
  enum Place: Sendable {
    case byte(Int)
    /// A block by its signature, and how many of the kind stand before it.
    case block(String, Int = 0)
    /// The object header of a path.
    case header(String)
    /// The body of a message of an object, by its type and how many of the type stand before it.
    case message(String, UInt8, Int = 0)
    /// What the address at an offset of a message leads to.
    case target(String, UInt8, Int)
  }

  let bytes: [UInt8]

  /// The offset of a place; `nil` when there is none.
  func offset(of place: Place) throws -> Int? {
    switch place {
    case .byte(let offset): return offset
    case .block(let signature, let index): return find(Array(signature.utf8), index)
    case .header(let path): return try address(of: path)
    case .message(let path, let type, let index):
      return try messages(at: address(of: path)).filter { $0.type == type }.dropFirst(index)
        .first?.offset
    case .target(let path, let type, let offset):
      return try messages(at: address(of: path)).first { $0.type == type }
        .map { number($0.offset + offset, 8) }
    }
  }

  /// The offset of a place that must be there.
  func requiredOffset(of place: Place) throws -> Int {
    guard let offset = try offset(of: place) else {
      throw WeighbridgeError(.missing, "the file has no \(place)")
    }
    return offset
  }

  /// A number, least significant byte first.
  func bytes(of value: UInt64, _ width: Int) -> [UInt8] {
    (0..<width).map { $0 < 8 ? UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) : 0xFF }
  }

  private func find(_ pattern: [UInt8], _ index: Int) -> Int? {
    var remaining = index
    for offset in 0...max(0, bytes.count - pattern.count) where bytes[offset] == pattern[0] {
      guard bytes[offset...].starts(with: pattern) else { continue }
      if remaining == 0 { return offset }
      remaining -= 1
    }
    return nil
  }

  private func address(of path: String) throws -> Int {
    try bytes.withUnsafeBytes { bytes in
      // HDF5 only reads, and the file is closed before the bytes go.
      let image = UInt(bitPattern: bytes.baseAddress)
      return try HDF5Library.use { () throws(LibHDF5.Failure) in
        let file = try LibHDF5.Handle(
          chdf5_open_image(UnsafeRawPointer(bitPattern: image), bytes.count, "/dev/null/\(image)"),
          "an image cannot be opened")
        var (kind, address): (Int32, UInt64) = (0, 0)
        try LibHDF5.check(chdf5_object(file.identifier, path, &kind, &address), path)
        return Int(address)
      }
    }
  }

  private func number(_ offset: Int, _ width: Int) -> Int {
    bytes[offset..<offset + width].reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  /// The messages of a header and of its continuations; addresses have eight bytes in these files.
  private func messages(at address: Int) -> [(type: UInt8, offset: Int)] {
    let isVersion2 = bytes[address...].starts(with: "OHDR".utf8)
    let flags = isVersion2 ? bytes[address + 5] : 0
    var start = address + 16
    var end = start + number(address + 8, 4)
    if isVersion2 {
      start = address + 6 + (flags & 0x20 != 0 ? 16 : 0) + (flags & 0x10 != 0 ? 4 : 0)
      let width = 1 << Int(flags & 3)
      end = start + width + number(start, width)
      start += width
    }
    var blocks = [start..<end]
    var messages: [(type: UInt8, offset: Int)] = []
    while let block = blocks.popLast() {
      var offset = block.lowerBound
      let head = isVersion2 ? (flags & 4 != 0 ? 6 : 4) : 8
      while offset + head <= block.upperBound {
        let body = offset + head
        messages.append((bytes[offset], body))
        if bytes[offset] == 0x10 {
          let (start, count) = (number(body, 8), number(body + 8, 8))
          blocks.append(isVersion2 ? start + 4..<start + count - 4 : start..<start + count)
        }
        offset = body + number(offset + (isVersion2 ? 1 : 2), 2)
      }
    }
    return messages
  }
}
