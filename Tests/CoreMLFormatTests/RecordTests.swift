import Bytes
import CCoreML
import CProtobufC
import ProtobufWire
import TestSupport
import Testing

/// Messages as records, against the protobuf library.
@Suite struct RecordTests {
  private static var descriptor: ProtobufScanner.Descriptor? { coreml_model_descriptor() }

  private static var inPlace: ProtobufFieldsInPlace {
    guard let weights = coreml_weights_descriptor() else { return [:] }
    return [weights: [1, 2, 30, 31]]
  }

  /// The message of a record, with elements that count up.
  private func bytes(_ record: ProtobufRecord) throws -> [UInt8] {
    let descriptor = try #require(Self.descriptor)
    let message = try ProtobufPieces(record, as: descriptor)
    let bytes = message.pieces.flatMap { piece -> [UInt8] in
      switch piece {
      case .bytes(let bytes): bytes
      case .place(let place): (0..<place.byteCount).map { UInt8(truncatingIfNeeded: $0) }
      }
    }
    #expect(bytes.count == message.byteCount)
    return bytes
  }

  @Test("What is written reads back, and is what the library writes", arguments: 0..<200)
  func property(seed: UInt64) throws {
    let descriptor = try #require(Self.descriptor)
    var generator = RandomRecords(seed: seed)
    let record = generator.record(of: descriptor, depth: 6)
    let bytes = try bytes(record)
    let read = try ProtobufRecordReader.read(
      bytes.span.bytes, as: descriptor, inPlace: Self.inPlace, limits: ProtobufLimits())
    #expect(read.withoutOffsets == record.withoutOffsets)
    #expect(try repacked(bytes) == bytes)
  }

  /// Unpacks and packs with the library.
  private func repacked(_ bytes: [UInt8]) throws -> [UInt8] {
    let message = try #require(
      protobuf_c_message_unpack(Self.descriptor, nil, bytes.count, bytes))
    defer { protobuf_c_message_free_unpacked(message, nil) }
    let size = protobuf_c_message_get_packed_size(message)
    return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      count = protobuf_c_message_pack(message, buffer.baseAddress)
    }
  }

  @Test("Elements that stay in place are neither counted nor copied")
  func inPlace() throws {
    let descriptor = try #require(Self.descriptor)
    let weights: ProtobufRecord = ["floatValue": .place(ProtobufPlace(offset: 0, byteCount: 4000))]
    let layer: ProtobufRecord = [
      "name": .text("a"), "bias": .record(["shape": .integers([1000]), "bias": .record(weights)]),
    ]
    let record: ProtobufRecord = ["neuralNetwork": .record(["layers": .records([layer])])]
    let bytes = try bytes(record)
    var limits = ProtobufLimits()
    limits.memory = 3000
    let read = try ProtobufRecordReader.read(
      bytes.span.bytes, as: descriptor, inPlace: Self.inPlace, limits: limits)
    let found = try #require(read.record("neuralNetwork")?.records("layers").first)
    let place = try #require(found.record("bias")?.record("bias")?.place("floatValue"))
    #expect(Array(bytes[place.range].prefix(3)) == [0, 1, 2])
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
    let descriptor = try #require(coreml_weights_descriptor())
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
      ["description": .record(["predictedFeatureName": .text("a\0b")])],
    ] {
      #expect(failure { _ = try bytes(record) }?.code == .unsupported)
    }
  }
}

/// Records of messages that nobody has thought of.
private struct RandomRecords {
  private var generator: SplitMix64

  init(seed: UInt64) { generator = SplitMix64(seed: seed) }

  mutating func record(of descriptor: ProtobufScanner.Descriptor, depth: Int) -> ProtobufRecord {
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
        record[name] = place()
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
    case .real: .reals(values.compactMap { if case .real(let x) = $0 { x } else { nil } })
    case .boolean: .booleans(values.compactMap { if case .boolean(let x) = $0 { x } else { nil } })
    case .text: .texts(values.compactMap { if case .text(let x) = $0 { x } else { nil } })
    case .record: .records(values.compactMap { if case .record(let x) = $0 { x } else { nil } })
    default: nil
    }
  }

  /// A value that is not the default, or nothing where messages would nest too deep.
  private mutating func value(_ field: ProtobufCFieldDescriptor, _ depth: Int) -> ProtobufValue? {
    switch field.type {
    case PROTOBUF_C_TYPE_MESSAGE:
      guard depth > 0, let inner = field.descriptor else { return nil }
      let descriptor = inner.assumingMemoryBound(to: ProtobufCMessageDescriptor.self)
      return .record(record(of: descriptor, depth: depth - 1))
    case PROTOBUF_C_TYPE_STRING: return .text("é\(Int.random(in: 0...999, using: &generator))")
    case PROTOBUF_C_TYPE_BYTES: return place()
    case PROTOBUF_C_TYPE_BOOL: return .boolean(true)
    case PROTOBUF_C_TYPE_FLOAT: return .real(Double(Float.random(in: 1...2, using: &generator)))
    case PROTOBUF_C_TYPE_DOUBLE: return .real(-Double.random(in: 1...2, using: &generator))
    case PROTOBUF_C_TYPE_INT32, PROTOBUF_C_TYPE_INT64:
      return .integer(-Int.random(in: 1...1 << 30, using: &generator))
    case PROTOBUF_C_TYPE_ENUM:
      let enumeration = field.descriptor.assumingMemoryBound(to: ProtobufCEnumDescriptor.self)
      let last = Int(enumeration.pointee.n_values) - 1
      return .choice(String(cString: enumeration.pointee.values[last].name))
    default: return .integer(Int.random(in: 1...1 << 31, using: &generator))
    }
  }

  private mutating func place() -> ProtobufValue {
    .place(ProtobufPlace(offset: 0, byteCount: 4 * Int.random(in: 1...9, using: &generator)))
  }
}

extension ProtobufRecord {
  /// The record with all places at 0.
  fileprivate var withoutOffsets: ProtobufRecord {
    mappingPlaces { ProtobufPlace(offset: 0, byteCount: $0.byteCount) }
  }
}
