import Bytes
import HDF5File

/// What a file holds, line by line, so that two readers can be compared. If the format
/// changes, change `LibHDF5Listing.swift` and `Files/Family/listing.py` too.
struct FileListing {
  let file: HDF5File

  /// Every object with its kind, its attributes and the checksum of its elements.
  func lines() throws(WeighbridgeError) -> [String] {
    var lines = try attributeLines("/")
    for member in try file.members(below: "/") {
      switch member.kind {
      case .dataset: lines.append(try datasetLine(member.path))
      default: lines.append("\(member.path) \(member.kind.rawValue)")
      }
      switch member.kind {
      case .softLink, .externalLink: break
      default: lines += try attributeLines(member.path)
      }
    }
    return lines
  }

  private func datasetLine(_ path: String) throws(WeighbridgeError) -> String {
    do throws(WeighbridgeError) {
      let dataset = try file.dataset(at: path)
      let crc = CRC32.checksum(try file.contents(of: dataset))
      return "\(path) dataset \(dataset.elementType) \(dataset.shape) \(crc)"
    } catch  where error.code == .unsupported {
      return "\(path) dataset of another type"
    } catch  where error.code == .limitExceeded || error.reason.contains("too large") {
      return "\(path) dataset too large"
    }
  }

  private func attributeLines(_ path: String) throws(WeighbridgeError) -> [String] {
    var lines: [String] = []
    for name in try file.attributeNames(of: path) {
      do throws(WeighbridgeError) {
        let value = try file.attribute(name, of: path)
        lines.append("\(path)@\(name) \(value.map(Self.text) ?? "absent")")
      } catch  where error.code == .unsupported || error.reason.hasSuffix("not UTF-8") {
        lines.append("\(path)@\(name) of another type")
      }
    }
    return lines
  }

  /// An attribute's value in one line.
  static func text(_ value: HDF5Attribute) -> String {
    switch value {
    case .strings(let strings): "strings [\(strings.map(quoted).joined(separator: ", "))]"
    case .integers(let integers): "integers " + integers.map(String.init).joined(separator: " ")
    case .doubles(let doubles):
      "reals " + doubles.map { hex($0.bitPattern, 16) }.joined(separator: " ")
    }
  }

  /// A number in so many hexadecimal digits.
  static func hex(_ value: some BinaryInteger, _ count: Int) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: max(0, count - digits.count)) + digits
  }

  private static func quoted(_ string: String) -> String {
    var text = "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      case _ where scalar.value < 32: text += "\\u" + hex(scalar.value, 4)
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text + "\""
  }
}

/// The checksum of ZIP and PNG, polynomial 0xEDB88320.
enum CRC32 {
  private static let table: [UInt32] = (0..<256).map { index in
    (0..<8).reduce(UInt32(index)) { value, _ in
      value & 1 == 1 ? 0xEDB8_8320 ^ value >> 1 : value >> 1
    }
  }

  /// The checksum in eight hexadecimal digits.
  static func checksum(_ bytes: [UInt8]) -> String {
    let table = table
    var crc = ~UInt32(0)
    for byte in bytes { crc = table[Int(UInt8(truncatingIfNeeded: crc) ^ byte)] ^ crc >> 8 }
    return FileListing.hex(~crc, 8)
  }
}
