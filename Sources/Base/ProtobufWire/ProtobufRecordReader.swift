package import Bytes
import CProtobufC

/// Reads messages into records, by their descriptors.
package enum ProtobufRecordReader {
  /// Reads a message; of `bytes` fields, and of the fields in place, only the byte ranges are
  /// returned. Of a repeated `bytes` field, the last element is returned.
  ///
  /// - Parameters:
  ///   - bytes: The serialized message.
  ///   - descriptor: Its type.
  ///   - skippingUnknown: Whether fields that the schema does not know are skipped; otherwise they
  ///     cause an error.
  ///   - inPlace: Fields whose bytes are neither copied nor counted.
  ///   - limits: The limits of what is accepted.
  /// - Throws: As ``ProtobufScanner``, which checks the bytes first;
  ///   ``WeighbridgeError/Code/unsupported`` for an enumerator that the schema does not know.
  package static func read(
    _ bytes: RawSpan, as descriptor: MessageDescriptor, skippingUnknown: Bool = false,
    inPlace: ProtobufFieldsInPlace = [:], limits: ProtobufLimits
  ) throws(WeighbridgeError) -> ProtobufRecord {
    try ProtobufScanner.scan(
      bytes, as: descriptor, keepingUnknownIn: [], isLenient: skippingUnknown, inPlace: inPlace,
      limits: limits)
    // The scan above has allowed the unknown fields.
    var reader = WireReader(0..<bytes.byteCount)
    return try record(&reader, bytes, descriptor, inPlace)
  }

  /// Returns the numbers of the outermost fields of a message of any type, up to and including the
  /// first invalid one.
  ///
  /// - Parameter limit: The largest number of fields to read.
  package static func leadingFieldNumbers(_ bytes: RawSpan, limit: Int = 1000) -> Set<UInt32> {
    var numbers: Set<UInt32> = []
    try? collectFieldNumbers(bytes, limit: limit, into: &numbers)
    return numbers
  }

  /// Returns the numbers of the outermost fields of a message of any type.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed``; ``WeighbridgeError/Code/limitExceeded`` for
  ///   more than 100,000 fields.
  package static func fieldNumbers(
    _ bytes: RawSpan
  ) throws(WeighbridgeError) -> Set<UInt32> {
    var numbers: Set<UInt32> = []
    try collectFieldNumbers(bytes, limit: 100_000, into: &numbers)
    return numbers
  }

  private static func collectFieldNumbers(
    _ bytes: RawSpan, limit: Int, into numbers: inout Set<UInt32>
  ) throws(WeighbridgeError) {
    var reader = WireReader(0..<bytes.byteCount)
    for _ in 0..<limit where !reader.isAtEnd {
      let tag = try reader.tag(bytes)
      numbers.insert(tag.number)
      _ = try reader.skip(tag.wireType, bytes)
    }
    guard reader.isAtEnd else { throw .limitExceeded("has more than \(limit) fields") }
  }

  private static func record(
    _ reader: inout WireReader, _ bytes: RawSpan, _ descriptor: MessageDescriptor,
    _ inPlace: ProtobufFieldsInPlace
  ) throws(WeighbridgeError) -> ProtobufRecord {
    var record = ProtobufRecord()
    var lists: [String: RepeatedField] = [:]
    let fieldsInPlace = inPlace[descriptor] ?? []
    while !reader.isAtEnd {
      let tag = try reader.tag(bytes)
      guard let field = descriptor.field(tag.number) else {
        _ = try reader.skip(tag.wireType, bytes)
        continue
      }
      let name = field.name
      if fieldsInPlace.contains(tag.number) || field.type == PROTOBUF_C_TYPE_BYTES {
        let section = try reader.section(bytes)
        record[name] = .byteRange(
          ProtobufByteRange(offset: section.offset, byteCount: section.remaining))
      } else if let message = field.message {
        var section = try reader.section(bytes)
        let inner = try self.record(&section, bytes, message, inPlace)
        if field.isRepeated {
          lists[name, default: RepeatedField()].records.append(inner)
        } else {
          record[name] = .record(inner)
        }
      } else if field.isRepeated, tag.wireType == 2, field.wireType != 2 {
        var packed = try reader.section(bytes)
        while !packed.isAtEnd {
          lists[name, default: RepeatedField()].append(try packed.value(bytes, field))
        }
      } else if field.isRepeated {
        lists[name, default: RepeatedField()].append(try reader.value(bytes, field))
      } else {
        record[name] = try reader.value(bytes, field)
      }
    }
    for (name, list) in lists { record[name] = list.value }
    return record
  }
}

/// The elements of a repeated field while they are read.
struct RepeatedField {
  private var integers: [Int] = []
  private var doubles: [Double] = []
  private var booleans: [Bool] = []
  private var strings: [String] = []
  var records: [ProtobufRecord] = []

  mutating func append(_ value: ProtobufValue) {
    switch value {
    case .integer(let number): integers.append(number)
    case .double(let number): doubles.append(number)
    case .boolean(let flag): booleans.append(flag)
    case .string(let string): strings.append(string)
    default: break  // no schema in use has lists of anything else
    }
  }

  var value: ProtobufValue {
    if !records.isEmpty { return .records(records) }
    if !strings.isEmpty { return .strings(strings) }
    if !doubles.isEmpty { return .doubles(doubles) }
    return booleans.isEmpty ? .integers(integers) : .booleans(booleans)
  }
}

extension WireReader {
  /// Reads a value that is not a message.
  mutating func value(
    _ bytes: RawSpan, _ field: FieldDescriptor
  ) throws(WeighbridgeError) -> ProtobufValue {
    if field.type == PROTOBUF_C_TYPE_STRING {
      let section = try section(bytes)
      let utf8 = bytes.extracting(section.offset..<section.offset + section.remaining)
      // Read while the span lives; it is UTF-8, as the scanner has checked.
      return unsafe .string(utf8.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) })
    }
    let start = offset
    let bits = try number(field.type, bytes)
    switch field.type {
    case PROTOBUF_C_TYPE_BOOL: return .boolean(bits != 0)
    case PROTOBUF_C_TYPE_DOUBLE: return .double(Double(bitPattern: bits))
    case PROTOBUF_C_TYPE_FLOAT:
      return .double(Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits))))
    case PROTOBUF_C_TYPE_UINT64:
      guard let number = Int(exactly: bits) else {
        throw .malformed("field \(field.name) is \(bits), which is too large").at(.byte(start))
      }
      return .integer(number)
    case PROTOBUF_C_TYPE_ENUM:
      guard let name = field.enumerator(Int32(truncatingIfNeeded: bits)) else {
        throw .unsupported(
          "field \(field.name) has the value \(Int64(bitPattern: bits)), which is not known"
        ).at(.byte(start))
      }
      return .choice(name)
    default: return .integer(Int(Int64(bitPattern: bits)))
    }
  }
}
