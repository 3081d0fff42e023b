import Bytes
import Digests

@testable import WBMFormat

/// A tiny model file assembled by hand, each part of which a test can replace.
///
/// Unchanged, it is the file that the writer writes for ``SampleHeaders/tiny``.
struct RawModel {
  var values = [
    RawModel.value("x"), RawModel.value("w") + Wire.number(4, 0), RawModel.value("y"),
  ]
  var nodes = [RawModel.node()]
  var inputs = [RawModel.port("x", 0)]
  var outputs = [RawModel.port("y", 2)]
  var tensors = [RawModel.tensor("w")]
  var description: [UInt8]? = []
  var provenance = Wire.string(5, "test")
  var references: [[UInt8]] = []
  var rest: [UInt8] = []
  /// The elements of all tensors with their padding.
  var data = RawModel.elements
  var version = WBMVersion(major: 1, minor: 0)

  static let elements = [UInt8](1...12)

  static func value(_ name: String) -> [UInt8] {
    Wire.string(1, name) + Wire.number(2, 3) + Wire.bytes(3, Wire.number(1, 3))
  }

  static func node(
    name: String = "n", inputs: [UInt8] = [0, 1], outputs: [UInt8] = [2], rest: [UInt8] = []
  ) -> [UInt8] {
    Wire.string(1, "add") + Wire.number(2, 1) + Wire.string(3, name) + Wire.bytes(4, inputs)
      + Wire.bytes(5, outputs) + rest
  }

  static func port(_ name: String, _ value: UInt64) -> [UInt8] {
    Wire.string(1, name) + (value == 0 ? [] : Wire.number(2, value))
  }

  static func tensor(
    _ name: String, type: UInt64 = 3, shape: [UInt64] = [3], offset: UInt64 = 0,
    byteCount: UInt64 = 12, digest: [UInt8] = XXH3Digest(of: elements.span.bytes).bytes
  ) -> [UInt8] {
    Wire.string(1, name) + Wire.number(2, type) + Wire.number(3, 1)
      + Wire.bytes(4, shape.flatMap(Wire.varint)) + (offset == 0 ? [] : Wire.number(5, offset))
      + Wire.number(6, byteCount) + Wire.bytes(7, digest)
  }

  /// The serialized graph.
  var graph: [UInt8] {
    values.flatMap { Wire.bytes(1, $0) } + nodes.flatMap { Wire.bytes(2, $0) }
      + inputs.flatMap { Wire.bytes(3, $0) } + outputs.flatMap { Wire.bytes(4, $0) }
  }

  /// The serialized header.
  var header: [UInt8] {
    Wire.bytes(2, graph) + tensors.flatMap { Wire.bytes(3, $0) }
      + (description.map { Wire.bytes(4, $0) } ?? []) + Wire.bytes(5, provenance)
      + references.flatMap { Wire.bytes(6, $0) } + rest
  }

  /// The file, with the checksums that its header needs.
  var file: [UInt8] { Self.file(header: header, data: data, version: version) }

  static func file(
    header: [UInt8], data: [UInt8], version: WBMVersion = WBMVersion(major: 1, minor: 0)
  ) -> [UInt8] {
    let start = (64 + header.count + 63) / 64 * 64
    let preamble = WBMPreamble(
      version: version, headerByteCount: header.count, tensorDataOffset: start,
      fileByteCount: start + data.count, headerDigest: XXH3Digest(of: header.span.bytes))
    let prefix = preamble.serialized + header
    return prefix + [UInt8](repeating: 0, count: start - prefix.count) + data
  }

  /// A file whose preamble was changed, with the checksum updated.
  static func file(_ change: (inout [UInt8]) -> Void) -> [UInt8] {
    var bytes = RawModel().file
    change(&bytes)
    let preamble = Array(bytes[..<56])
    let checksum = XXH3Digest(of: preamble.span.bytes).bytes.prefix(8)
    bytes.replaceSubrange(56..<64, with: checksum)
    return bytes
  }
}
