/// A record of the file that corresponds to a value of the model's description. Each field is
/// declared once for both directions of conversion.
protocol DescriptionRecord {
  /// The type of the corresponding value.
  associatedtype Described

  /// An empty value.
  static var empty: Described { get }

  /// Creates an empty record.
  init()

  /// Transfers every field from the value to the record or back.
  mutating func transfer(_ described: inout Described, _ direction: Transfer)
}

extension DescriptionRecord {
  /// Creates the record of a value.
  ///
  /// - Parameter old: The record that is replaced, whose unknown fields are kept.
  init(_ described: Described, replacing old: Self? = nil) {
    self = old ?? Self()
    var described = described
    transfer(&described, .toRecord)
  }

  /// The value that corresponds to the record.
  var described: Described {
    var (record, described) = (self, Self.empty)
    record.transfer(&described, .toDescription)
    return described
  }
}

/// The direction in which fields are transferred between a record of the file and the model's
/// description.
enum Transfer {
  case toRecord, toDescription

  /// Transfers a value that is the same in both.
  func value<Value>(_ record: inout Value, _ described: inout Value) {
    switch self {
    case .toRecord: record = described
    case .toDescription: described = record
    }
  }

  /// Transfers an optional string, which is empty in the description if it is absent.
  func string(_ record: inout String?, _ described: inout String) {
    switch self {
    case .toRecord: record = described.isEmpty ? nil : described
    case .toDescription: described = record ?? ""
    }
  }

  /// Transfers an enum case.
  func enumCase<Record: RawRepresentable<String>, Value: RawRepresentable<String>>(
    _ record: inout Record, _ described: inout Value
  ) {
    switch self {
    case .toRecord: record = Record(matching: described)
    case .toDescription: described = Value(matching: record)
    }
  }

  /// Transfers an optional enum case.
  func enumCase<Record: RawRepresentable<String>, Value: RawRepresentable<String>>(
    _ record: inout Record?, _ described: inout Value?
  ) {
    switch self {
    case .toRecord: record = described.map { Record(matching: $0) }
    case .toDescription: described = record.map { Value(matching: $0) }
    }
  }

  /// Transfers an optional record.
  func record<Record: DescriptionRecord>(
    _ record: inout Record?, _ described: inout Record.Described?
  ) {
    switch self {
    case .toRecord: record = described.map { Record($0, replacing: record) }
    case .toDescription: described = record.map(\.described)
    }
  }

  /// Transfers a list of records; each replaces the one at its index.
  func records<Record: DescriptionRecord>(
    _ records: inout [Record], _ described: inout [Record.Described]
  ) {
    switch self {
    case .toRecord:
      records = described.enumerated().map { index, described in
        Record(described, replacing: index < records.count ? records[index] : nil)
      }
    case .toDescription: described = records.map(\.described)
    }
  }
}

extension RawRepresentable<String> {
  /// Converts an enum case of the description to one of the file, or vice versa: both enums have
  /// the same raw values.
  init(matching value: some RawRepresentable<String>) {
    guard let match = Self(rawValue: value.rawValue) else {
      preconditionFailure("\(Self.self) has no case \(value.rawValue)")
    }
    self = match
  }
}
