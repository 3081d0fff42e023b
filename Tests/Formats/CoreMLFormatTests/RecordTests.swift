import Bytes
import CCoreML
import CProtobufC
import ProtobufWire
import TestSupport
import Testing

/// Messages as records, compared with the protobuf library.
@Suite struct RecordTests {
  private static var descriptor: MessageDescriptor? { MessageDescriptor(coreml_model_descriptor()) }

  private static var inPlace: ProtobufFieldsInPlace {
    guard let weights = MessageDescriptor(coreml_weights_descriptor()) else { return [:] }
    return [weights: [1, 2, 30, 31]]
  }

  /// The message of a record, with elements that count up.
  private func bytes(_ record: ProtobufRecord) throws -> [UInt8] {
    let descriptor = try #require(Self.descriptor)
    let message = try ProtobufPieces(record, as: descriptor)
    let bytes = message.pieces.flatMap { piece -> [UInt8] in
      switch piece {
      case .bytes(let bytes): bytes
      case .byteRange(let range): (0..<range.byteCount).map { UInt8(truncatingIfNeeded: $0) }
      }
    }
    #expect(bytes.count == message.byteCount)
    return bytes
  }

  @Test("What is written reads back, and is what the library writes", arguments: 0..<200)
  func property(seed: UInt64) throws {
    let descriptor = try #require(Self.descriptor)
    var generator = RandomRecords(seed: seed)
    let record = generator.record(of: coreml_model_descriptor(), depth: 6)
    let bytes = try bytes(record)
    let read = try ProtobufRecordReader.read(
      bytes.span.bytes, as: descriptor, inPlace: Self.inPlace, limits: ProtobufLimits())
    #expect(read.withoutOffsets == record.withoutOffsets)
    #expect(try repacked(bytes) == bytes)
  }

  /// Unpacks and packs a message with the library.
  private func repacked(_ bytes: [UInt8]) throws -> [UInt8] {
    let message = try #require(
      protobuf_c_message_unpack(coreml_model_descriptor(), nil, bytes.count, bytes))
    defer { protobuf_c_message_free_unpacked(message, nil) }
    let size = protobuf_c_message_get_packed_size(message)
    return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      count = protobuf_c_message_pack(message, buffer.baseAddress)
    }
  }

  @Test("Elements that stay in place are neither counted nor copied")
  func inPlace() throws {
    let descriptor = try #require(Self.descriptor)
    let weights: ProtobufRecord = [
      "floatValue": .byteRange(ProtobufByteRange(offset: 0, byteCount: 4000))
    ]
    let layer: ProtobufRecord = [
      "name": .string("a"),
      "bias": .record(["shape": .integers([1000]), "bias": .record(weights)]),
    ]
    let record: ProtobufRecord = ["neuralNetwork": .record(["layers": .records([layer])])]
    let bytes = try bytes(record)
    var limits = ProtobufLimits()
    limits.memory = 3000
    let read = try ProtobufRecordReader.read(
      bytes.span.bytes, as: descriptor, inPlace: Self.inPlace, limits: limits)
    let found = try #require(read.record("neuralNetwork")?.records("layers").first)
    let byteRange = try #require(found.record("bias")?.record("bias")?.byteRange("floatValue"))
    #expect(Array(bytes[byteRange.range].prefix(3)) == [0, 1, 2])
    let error = failure {
      _ = try ProtobufRecordReader.read(bytes.span.bytes, as: descriptor, limits: limits)
    }
    #expect(error?.code == .limitExceeded)
  }

  @Test("Elements in several pieces are refused")
  func pieces() throws {
    let number: [UInt8] = [0x0A, 4, 0, 0, 0, 0]
    let unpacked: [UInt8] = [0x0D, 0, 0, 0, 0]
    let cut: [UInt8] = [0x0A, 3, 0, 0, 0]
    let descriptor = try #require(MessageDescriptor(coreml_weights_descriptor()))
    for bytes in [number + number, unpacked, cut] {
      let error = failure {
        _ = try ProtobufRecordReader.read(
          bytes.span.bytes, as: descriptor, inPlace: Self.inPlace, limits: ProtobufLimits())
      }
      #expect(error?.code == .malformed)
    }
  }

  @Test("A number that its field cannot hold is refused")
  func tooLarge() throws {
    for record: ProtobufRecord in [
      ["specificationVersion": .integer(1 << 40)],
      [
        "neuralNetwork": .record([
          "layers": .records([["split": .record(["nOutputs": .integer(-1)])]])
        ])
      ],
      ["description": .record(["predictedFeatureName": .string("a\0b")])],
    ] {
      #expect(failure { _ = try bytes(record) }?.code == .unsupported)
    }
  }
}

/// Random records of messages.
private struct RandomRecords {
  private var generator: SplitMix64

  init(seed: UInt64) { generator = SplitMix64(seed: seed) }

  mutating func record(
    of descriptor: UnsafePointer<ProtobufCMessageDescriptor>, depth: Int
  ) -> ProtobufRecord {
    var record = ProtobufRecord()
    var members: Set<UInt32> = []
    let fields = UnsafeBufferPointer(
      start: descriptor.pointee.fields, count: Int(descriptor.pointee.n_fields))
    for field in fields.shuffled(using: &generator) {
      let isMember = field.flags & PROTOBUF_C_FIELD_FLAG_ONEOF.rawValue != 0
      guard isMember || Bool.random(using: &generator) else { continue }
      guard !isMember || members.insert(field.quantifier_offset).inserted else { continue }
      let name = String(cString: field.name)
      let isWeights = String(cString: descriptor.pointee.short_name) == "WeightParams"
      if isWeights, field.label == PROTOBUF_C_LABEL_REPEATED {
        record[name] = byteRange()
      } else if field.label == PROTOBUF_C_LABEL_REPEATED {
        record[name] = list(field, depth)
      } else {
        record[name] = value(field, depth)
      }
    }
    return record
  }

  private mutating func list(_ field: ProtobufCFieldDescriptor, _ depth: Int) -> ProtobufValue? {
    let count = Int.random(in: 1...3, using: &generator)
    let values = (0..<count).compactMap { _ in value(field, depth) }
    return switch values.first {
    case .integer: .integers(values.compactMap { if case .integer(let x) = $0 { x } else { nil } })
    case .double: .doubles(values.compactMap { if case .double(let x) = $0 { x } else { nil } })
    case .boolean: .booleans(values.compactMap { if case .boolean(let x) = $0 { x } else { nil } })
    case .string: .strings(values.compactMap { if case .string(let x) = $0 { x } else { nil } })
    case .record: .records(values.compactMap { if case .record(let x) = $0 { x } else { nil } })
    default: nil
    }
  }

  /// A value other than the default; `nil` where messages would nest too deeply.
  private mutating func value(_ field: ProtobufCFieldDescriptor, _ depth: Int) -> ProtobufValue? {
    switch field.type {
    case PROTOBUF_C_TYPE_MESSAGE:
      guard depth > 0, let inner = field.descriptor else { return nil }
      let descriptor = inner.assumingMemoryBound(to: ProtobufCMessageDescriptor.self)
      return .record(record(of: descriptor, depth: depth - 1))
    case PROTOBUF_C_TYPE_STRING: return .string("é\(Int.random(in: 0...999, using: &generator))")
    case PROTOBUF_C_TYPE_BYTES: return byteRange()
    case PROTOBUF_C_TYPE_BOOL: return .boolean(true)
    case PROTOBUF_C_TYPE_FLOAT: return .double(Double(Float.random(in: 1...2, using: &generator)))
    case PROTOBUF_C_TYPE_DOUBLE: return .double(-Double.random(in: 1...2, using: &generator))
    case PROTOBUF_C_TYPE_INT32, PROTOBUF_C_TYPE_INT64:
      return .integer(-Int.random(in: 1...1 << 30, using: &generator))
    case PROTOBUF_C_TYPE_ENUM:
      let enumeration = field.descriptor.assumingMemoryBound(to: ProtobufCEnumDescriptor.self)
      let last = Int(enumeration.pointee.n_values) - 1
      return .choice(String(cString: enumeration.pointee.values[last].name))
    default: return .integer(Int.random(in: 1...1 << 31, using: &generator))
    }
  }

  private mutating func byteRange() -> ProtobufValue {
    .byteRange(
      ProtobufByteRange(offset: 0, byteCount: 4 * Int.random(in: 1...9, using: &generator)))
  }
}

extension ProtobufRecord {
  /// The record with all byte ranges at offset 0.
  fileprivate var withoutOffsets: ProtobufRecord {
    mappingByteRanges { ProtobufByteRange(offset: 0, byteCount: $0.byteCount) }
  }
}
