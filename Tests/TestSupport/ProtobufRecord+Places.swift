package import ProtobufWire

extension ProtobufRecord {
  /// Returns the record with its byte ranges changed.
  package func mappingPlaces(
    _ change: (ProtobufPlace) -> ProtobufPlace
  ) -> ProtobufRecord {
    ProtobufRecord(
      fields.mapValues { value in
        switch value {
        case .place(let place): .place(change(place))
        case .record(let record): .record(record.mappingPlaces(change))
        case .records(let records): .records(records.map { $0.mappingPlaces(change) })
        default: value
        }
      })
  }
}
