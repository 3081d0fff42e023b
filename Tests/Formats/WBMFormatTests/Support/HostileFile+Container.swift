import Bytes

@testable import WBMFormat

extension HostileFile {
  /// Attacks on the bytes around the header.
  static let container: [HostileFile] = [
    HostileFile(
      "empty", "cut off", code: .truncated, story: "No bytes at all; there is nothing to map.", []),
    HostileFile(
      "magic-only", "cut off", code: .truncated, story: "A download that ended behind the magic.",
      Array(RawModel().file.prefix(8))),
    HostileFile(
      "preview", "preview of Weighbridge", code: .unsupported,
      story: "A file that a preview of Weighbridge wrote: its first byte was another.",
      RawModel.file { $0[0] = 0x89 }),
    HostileFile(
      "wrong-magic", "not a .wbm file", story: "Another format under our name, with its mark.",
      changed(RawModel().file) { $0.replaceSubrange(1..<4, with: Array("HDF".utf8)) }),
    HostileFile(
      "text-mode", "text mode",
      story: "A transfer in text mode took the carriage return out of the first bytes.",
      RawModel().file.enumerated().filter { $0.offset != 4 }.map(\.element)),
    HostileFile(
      "preamble-only", "cut off", code: .truncated,
      story: "A download that ended within the preamble.",
      Array(RawModel().file.prefix(40))),
    HostileFile(
      "newer-major", "version 2", code: .unsupported,
      story: "A later version, whose rules a reader of version 1 cannot know."
    ) { $0.version.major = 2 },
    HostileFile(
      "newer-major-short", "version 2", code: .unsupported,
      story: "Twelve bytes of a later version, whose preamble may be shorter.",
      changed(Array(RawModel().file.prefix(12))) { $0[8] = 2 }),
    HostileFile(
      "major-zero", "version 0", code: .unsupported, story: "A version that never was."
    ) { $0.version = WBMVersion(major: 0, minor: 7) },
    HostileFile(
      "flags", "flags 1", code: .unsupported,
      story: "A flag whose meaning a reader of version 1 cannot know.",
      RawModel.file { $0[12] = 1 }),
    HostileFile(
      "preamble-checksum", "checksum", code: .damaged,
      story: "One bit of the file's length flipped.",
      changed(RawModel().file) { $0[33] ^= 1 }),
    HostileFile(
      "header-digest", "damaged header", code: .damaged, story: "One bit of the header flipped.",
      changed(RawModel().file) { $0[70] ^= 1 }),
    HostileFile(
      "cut-off", "cut off", code: .truncated, story: "A download that ended within the tensors.",
      Array(RawModel().file.dropLast(3))),
    HostileFile(
      "trailing-byte", "trailing bytes",
      story: "A byte behind the end, where anything could be hidden.", RawModel().file + [0]),
    HostileFile(
      "trailing-byte-counted", "the tensors take 12 bytes, but the file has 13",
      story: "The same, and the preamble counts the byte as part of the file."
    ) { $0.data.append(0) },
    HostileFile(
      "header-length-huge", "size of the header",
      story: "A header length of 2^63, negative for who reads it signed.",
      RawModel.file { $0[23] = 0x80 }),
    HostileFile(
      "header-length-beyond", "tensor data",
      story: "A header longer than the file, read past the end of the mapping by the careless.",
      RawModel.file { $0[20] = 1 }),
    HostileFile(
      "tensor-data-early", "tensor data at byte 64",
      story: "The tensor data begins inside the header, which then means two things.",
      RawModel.file { $0.replaceSubrange(24..<32, with: [64, 0, 0, 0, 0, 0, 0, 0]) }),
    HostileFile(
      "header-padding", "padding after its header", code: .damaged,
      story: "A byte hidden in the padding between header and tensors.",
      changed(RawModel().file) { $0[64 + RawModel().header.count] = 1 }),
    HostileFile(
      "tensor-padding", "the padding before tensor #1 v", code: .damaged, opens: true,
      story: "A byte hidden in the padding between two tensors."
    ) { $0.addTensor(padding: 7) },
    HostileFile(
      "tensor-bit", "tensor #0 w", code: .damaged, opens: true,
      story: "One bit of a weight flipped."
    ) { $0.data[5] ^= 4 },
  ]

  static func changed(_ bytes: [UInt8], _ change: (inout [UInt8]) -> Void) -> [UInt8] {
    var copy = bytes
    change(&copy)
    return copy
  }
}

extension RawModel {
  /// Adds a constant `v` with a tensor of its own, which the node reads.
  mutating func addTensor(padding: UInt8 = 0, offset: UInt64 = 64, byteCount: UInt64 = 12) {
    values.insert(Self.value("v") + Wire.number(4, 1), at: 2)
    nodes = [Self.node(inputs: [0, 1, 2], outputs: [3])]
    outputs = [Self.port("y", 3)]
    tensors.append(Self.tensor("v", offset: offset, byteCount: byteCount))
    data += [UInt8](repeating: padding, count: 52) + Self.elements
  }
}
