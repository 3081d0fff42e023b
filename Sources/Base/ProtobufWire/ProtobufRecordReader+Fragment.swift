import Bytes
import CProtobufC

extension ProtobufRecordReader {
  /// The prefix of the key of a field that the schema does not know; its number follows.
  package static let unknownPrefix = "field "

  /// Reads what it can of a message that ``read(_:as:skippingUnknown:inPlace:limits:)`` rejects, to
  /// show its contents: everything before the error.
  ///
  /// A message whose length exceeds the enclosing message ends with it. If a singular field occurs
  /// twice, the last one counts. A field that the schema does not know is an empty byte range under
  /// its number.
  /// - Complexity: O(n) in the bytes that are not in place, with at most a million values.
  package static func fragment(
    _ bytes: RawSpan, as descriptor: MessageDescriptor,
    inPlace: ProtobufFieldsInPlace = [:]
  ) -> ProtobufRecord {
    var reader = FragmentReader(inPlace: inPlace)
    return reader.record(WireReader(0..<bytes.byteCount), bytes, descriptor, depth: 0)
  }
}

/// Reads messages as far as possible.
private struct FragmentReader {
  let inPlace: ProtobufFieldsInPlace
  private let depthLimit = 16
  private var remainingValues = 1 << 20

  init(inPlace: ProtobufFieldsInPlace) { self.inPlace = inPlace }

  mutating func record(
    _ wire: WireReader, _ bytes: RawSpan, _ descriptor: MessageDescriptor, depth: Int
  ) -> ProtobufRecord {
    var wire = wire
    var record = ProtobufRecord()
    var lists: [String: RepeatedField] = [:]
    while !wire.isAtEnd, remainingValues > 0, let tag = try? wire.tag(bytes) {
      remainingValues -= 1
      guard let field = descriptor.field(tag.number) else {
        record["\(ProtobufRecordReader.unknownPrefix)\(tag.number)"] = .byteRange(
          ProtobufByteRange(offset: wire.offset, byteCount: 0))
        guard (try? wire.skip(tag.wireType, bytes)) != nil else { break }
        continue
      }
      let isInPlace =
        inPlace[descriptor]?.contains(tag.number) == true
        || field.type == PROTOBUF_C_TYPE_BYTES
      guard tag.wireType == 2, isInPlace || field.wireType != 2 || field.message != nil else {
        guard read(field, tag.wireType, &wire, bytes, &record, &lists) else { break }
        continue
      }
      var section = (try? wire.section(bytes)) ?? wire.remainder()
      if isInPlace {
        record[field.name] = .byteRange(
          ProtobufByteRange(offset: section.offset, byteCount: section.remaining))
      } else if let message = field.message {
        guard depth < depthLimit else { continue }
        let inner = self.record(section, bytes, message, depth: depth + 1)
        if field.isRepeated {
          lists[field.name, default: RepeatedField()].records.append(inner)
        } else {
          record[field.name] = .record(inner)
        }
      } else {
        while !section.isAtEnd, remainingValues > 0, let value = try? section.value(bytes, field) {
          remainingValues -= 1
          lists[field.name, default: RepeatedField()].append(value)
        }
      }
    }
    for (name, list) in lists { record[name] = list.value }
    return record
  }

  /// Reads a single value, or skips an invalid one.
  ///
  /// - Returns: Whether the bytes after it can be read.
  private func read(
    _ field: FieldDescriptor, _ wireType: UInt8, _ wire: inout WireReader, _ bytes: RawSpan,
    _ record: inout ProtobufRecord, _ lists: inout [String: RepeatedField]
  ) -> Bool {
    let start = wire
    guard wireType == field.wireType, field.message == nil,
      let value = try? wire.value(bytes, field)
    else {
      wire = start
      return (try? wire.skip(wireType, bytes)) != nil
    }
    if field.isRepeated {
      lists[field.name, default: RepeatedField()].append(value)
    } else {
      record[field.name] = value
    }
    return true
  }
}
