package import ProtobufWire

extension ProtobufRecord {
  /// Returns the record with its byte ranges changed.
  package func mappingByteRanges(
    _ change: (ProtobufByteRange) -> ProtobufByteRange
  ) -> ProtobufRecord {
    ProtobufRecord(
      fields.mapValues { value in
        switch value {
        case .byteRange(let range): .byteRange(change(range))
        case .record(let record): .record(record.mappingByteRanges(change))
        case .records(let records): .records(records.map { $0.mappingByteRanges(change) })
        default: value
        }
      })
  }
}
