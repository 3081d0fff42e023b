import Bytes
import HDF5File
import Testing

/// An intact file, what is changed in it, and what the reader must say.
struct HostileFile: Sendable, CustomTestStringConvertible {
  /// What breaks which rule.
  let story: String
  let base: String
  let place: FileMap.Place
  /// From the place to the first byte that is changed.
  let offset: Int
  let change: Change
  /// The path in the file that the message must name; `nil` for a file that cannot be opened.
  let path: String?
  let reason: String
  let code: WeighbridgeError.Code

  /// What is written over the intact bytes.
  enum Change: Sendable {
    /// A number, least significant byte first, in so many bytes.
    case value(UInt64, Int)
    case bytes([UInt8])
    /// The address of a place.
    case address(FileMap.Place)
    /// Bytes from another place.
    case copy(FileMap.Place, offset: Int, count: Int)
  }

  var testDescription: String { story }

  init(
    _ story: String, _ base: String, _ place: FileMap.Place, _ offset: Int, _ change: Change,
    _ path: String?, _ reason: String, _ code: WeighbridgeError.Code = .malformed
  ) {
    self.story = story
    self.base = base
    self.place = place
    self.offset = offset
    self.change = change
    self.path = path
    self.reason = reason
    self.code = code
  }

  /// The damaged file, its checksums made right unless they are what is wrong.
  func bytes() throws -> (bytes: [UInt8], errors: [WeighbridgeError]) {
    var bytes = try MappedFile(path: file(base)).withBytes { $0.copied(0..<$0.byteCount) }
    let map = FileMap(bytes: bytes)
    let start = try map.requiredOffset(of: place)
    let change =
      switch change {
      case .value(let value, let width): map.bytes(of: value, width)
      case .bytes(let bytes): bytes
      case .address(let target): map.bytes(of: UInt64(try map.requiredOffset(of: target)), 8)
      case .copy(let source, let offset, let count):
        Array(bytes[try map.requiredOffset(of: source) + offset..<bytes.count].prefix(count))
      }
    bytes.replaceSubrange(start + offset..<start + offset + change.count, with: change)
    let limits = HDF5File.Limits()
    let errors = ChecksumRepair.repair(&bytes, atMost: reason.contains("checksum") ? 0 : 8) {
      FullReading.errors($0, limits: limits)
    }
    return (bytes, errors)
  }
}
