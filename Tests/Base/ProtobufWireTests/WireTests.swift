import Bytes
import CONNX
import CProtobufC
import ProtobufWire
import Testing

/// Serialized messages, against what Google's protobuf library for Python wrote (7.36.2, with the
/// messages of onnx 1.23.2). The first numbers and texts are those of protobuf's own guide to the
/// encoding.
@Suite struct WireTests {
  /// `_VarintBytes` of Google's encoder.
  @Test(
    "Varints have as many bytes as they need",
    arguments: [
      (0, [0]), (1, [1]), (127, [0x7F]), (128, [0x80, 0x01]), (150, [0x96, 0x01]),
      (300, [0xAC, 0x02]), (16383, [0xFF, 0x7F]), (16384, [0x80, 0x80, 0x01]),
      (UInt64(UInt32.max), [0xFF, 0xFF, 0xFF, 0xFF, 0x0F]),
      (UInt64.max, [UInt8](repeating: 0xFF, count: 9) + [0x01]),
    ] as [(UInt64, [UInt8])])
  func varints(_ number: UInt64, _ bytes: [UInt8]) {
    #expect(ProtobufField.varint(number) == bytes)
  }

  /// `TagBytes` of Google's encoder.
  @Test("Tags hold the number and the wire type")
  func tags() {
    #expect(ProtobufField.tag(1, wireType: 0) == [0x08])
    #expect(ProtobufField.tag(15, wireType: 5) == [0x7D])
    #expect(ProtobufField.tag(16, wireType: 0) == [0x80, 0x01])
    #expect(ProtobufField.tag(1 << 29 - 1, wireType: 1) == [0xF9, 0xFF, 0xFF, 0xFF, 0x0F])
    #expect(ProtobufField.header(2, byteCount: 300) == [0x12, 0xAC, 0x02])
  }

  /// Records of ONNX' `TensorProto`, and their bytes.
  private static let tensors: [(record: ProtobufRecord, hexadecimal: String)] = [
    ([:], ""),
    (["data_type": .integer(150)], "109601"),
    (["data_type": .integer(-2)], "10feffffffffffffffff01"),
    (["name": .string("testing")], "420774657374696e67"),
    (["name": .string("größe")], "42076772c3b6c39f65"),
    (["int64_data": .integers([3, 270, 86942, -1])], "3a10038e029ea705ffffffffffffffffff01"),
    (
      [
        "float_data": .doubles([1.5, -2]), "int32_data": .integers([-1, 7]),
        "double_data": .doubles([0.1]), "uint64_data": .integers([Int.max]),
      ],
      "22080000c03f000000c02a0bffffffffffffffffff010752089a9999999999b93f"
        + "5a09ffffffffffffffff7f"
    ),
  ]

  @Test("Records are written as Google's library writes them, and read as it does")
  func records() throws {
    let descriptor = try #require(MessageDescriptor(onnx_tensor_descriptor()))
    for (record, hexadecimal) in Self.tensors {
      let message = try ProtobufPieces(record, as: descriptor)
      let bytes = Self.bytes(hexadecimal)
      #expect(message.byteCount == bytes.count)
      #expect(message.pieces == (bytes.isEmpty ? [] : [.bytes(bytes)]), "\(record)")
      #expect(try read(bytes) == record)
    }
  }

  @Test("Lists of numbers are read packed, one by one, and mixed")
  func packing() throws {
    // The fields 1 (a list that proto2 does not pack), 7 (packed).
    let unpacked = try read(Self.bytes("0803088e02089ea705"))
    #expect(unpacked == ["dims": .integers([3, 270, 86942])])
    #expect(try read(Self.bytes("0a06038e029ea705")) == unpacked)
    #expect(try read(Self.bytes("08030a05" + "8e029ea705")) == unpacked)
    #expect(try read(Self.bytes("0a00")) == [:])
  }

  @Test("Messages nest, and bytes stay where they are")
  func nesting() throws {
    let bytes = Self.bytes(
      "0802080310014201774a04000102036a110a086c6f636174696f6e1205612e62696e7001")
    let record = try read(bytes)
    #expect(record.integers("dims") == [2, 3])
    #expect(record.byteRange("raw_data") == ProtobufByteRange(offset: 11, byteCount: 4))
    #expect(record.byteRange("raw_data")?.range == 11..<15)
    #expect(record.records("external_data").map { $0.string("key") } == ["location"])
    #expect(record.records("external_data").map { $0.string("value") } == ["a.bin"])
    #expect(record.choice("data_location") == "EXTERNAL")
    let numbers = try ProtobufRecordReader.fieldNumbers(bytes.span.bytes)
    #expect(numbers == [1, 2, 8, 9, 13, 14])
  }

  @Test("A field that is not there has protobuf's default")
  func defaults() throws {
    let record = try read([])
    #expect(record == ProtobufRecord())
    #expect(record.integer("data_type") == 0 && record.string("name") == "")
    #expect(record.integers("dims") == [] && record.doubles("float_data") == [])
    #expect(record.byteRange("raw_data") == nil && record.choice("data_location") == nil)
    #expect(record.records("external_data") == [] && !record.boolean("name"))
  }

  @Test("Of a repeated bytes field, the last element is returned")
  func lists() throws {
    #expect(
      try read(Self.bytes("3201613200"))
        == ["string_data": .byteRange(ProtobufByteRange(offset: 5, byteCount: 0))])
  }

  @Test("A number that its field cannot hold, and a text with a NUL, are not written")
  func unwritable() throws {
    let descriptor = try #require(MessageDescriptor(onnx_tensor_descriptor()))
    for record: ProtobufRecord in [
      ["data_type": .integer(1 << 31)], ["data_type": .integer(-1 << 31 - 1)],
      ["int32_data": .integers([0, 1 << 40])], ["uint64_data": .integers([-1])],
      ["name": .string("a\0b")],
    ] {
      let error = #expect(throws: WeighbridgeError.self) {
        _ = try ProtobufPieces(record, as: descriptor)
      }
      #expect(error?.code == .unsupported, "\(record)")
    }
  }

  @Test("Byte ranges that the caller supplies are separate pieces")
  func byteRanges() throws {
    let descriptor = try #require(MessageDescriptor(onnx_tensor_descriptor()))
    let range = ProtobufByteRange(offset: 77, byteCount: 300)
    let message = try ProtobufPieces(
      [
        "data_type": .integer(1), "raw_data": .byteRange(range),
        "data_location": .choice("EXTERNAL"),
      ],
      as: descriptor)
    #expect(
      message.pieces == [
        .bytes([0x10, 0x01, 0x4A, 0xAC, 0x02]), .byteRange(range), .bytes([0x70, 0x01]),
      ])
    #expect(message.byteCount == 307)
  }

  private func read(_ bytes: [UInt8]) throws -> ProtobufRecord {
    let descriptor = try #require(MessageDescriptor(onnx_tensor_descriptor()))
    return try ProtobufRecordReader.read(
      bytes.span.bytes, as: descriptor, limits: ProtobufLimits())
  }

  static func bytes(_ hexadecimal: String) -> [UInt8] {
    let digits = hexadecimal.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }
}
