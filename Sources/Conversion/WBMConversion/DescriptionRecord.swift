/// A record of the file that says the same as a value of the model's description. Each field is declared
/// once for both directions.
protocol DescriptionRecord {
  /// The value that says the same.
  associatedtype Described

  /// A value that says nothing yet.
  static var blank: Described { get }

  /// Makes a record that says nothing yet.
  init()

  /// Transfers every field from the value to the record, or back.
  mutating func transfer(_ described: inout Described, _ direction: Transfer)
}

extension DescriptionRecord {
  /// The record of a value.
  ///
  /// - Parameter old: The record that is replaced: the fields of it that this version does not know
  ///   are kept.
  init(_ described: Described, replacing old: Self? = nil) {
    self = old ?? Self()
    var described = described
    transfer(&described, .toRecord)
  }

  /// The value that the record stands for.
  var described: Described {
    var (record, described) = (self, Self.blank)
    record.transfer(&described, .toDescription)
    return described
  }
}

/// The direction in which fields go between a record of the file and the model's description.
enum Transfer {
  case toRecord, toDescription

  /// A value that both have alike.
  func value<Value>(_ record: inout Value, _ described: inout Value) {
    switch self {
    case .toRecord: record = described
    case .toDescription: described = record
    }
  }

  /// A text whose absence the description has as an empty one.
  func text(_ record: inout String?, _ described: inout String) {
    switch self {
    case .toRecord: record = described.isEmpty ? nil : described
    case .toDescription: described = record ?? ""
    }
  }

  /// A count whose absence the record has as 0.
  func count(_ record: inout Int, _ described: inout Int?) {
    switch self {
    case .toRecord: record = described ?? 0
    case .toDescription: described = record == 0 ? nil : record
    }
  }

  /// One of several words.
  func word<Record: RawRepresentable<String>, Word: RawRepresentable<String>>(
    _ record: inout Record, _ described: inout Word
  ) {
    switch self {
    case .toRecord: record = Record(word: described)
    case .toDescription: described = Word(word: record)
    }
  }

  /// One of several words, or none.
  func word<Record: RawRepresentable<String>, Word: RawRepresentable<String>>(
    _ record: inout Record?, _ described: inout Word?
  ) {
    switch self {
    case .toRecord: record = described.map { Record(word: $0) }
    case .toDescription: described = record.map { Word(word: $0) }
    }
  }

  /// Some of several words.
  func words<Record: RawRepresentable<String>, Word: RawRepresentable<String> & CaseIterable>(
    _ record: inout [Record], _ described: inout Set<Word>
  ) {
    switch self {
    case .toRecord: record = Word.allCases.filter(described.contains).map { Record(word: $0) }
    case .toDescription: described = Set(record.map { Word(word: $0) })
    }
  }

  /// A record that may be absent.
  func record<Record: DescriptionRecord>(
    _ record: inout Record?, _ described: inout Record.Described?
  ) {
    switch self {
    case .toRecord: record = described.map { Record($0, replacing: record) }
    case .toDescription: described = record.map(\.described)
    }
  }

  /// A list of records; each replaces the one in its place.
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
  /// The word of the file for one of the description, or the other way round: both have the same raw
  /// values.
  init(word: some RawRepresentable<String>) {
    guard let same = Self(rawValue: word.rawValue) else {
      preconditionFailure("\(Self.self) lacks the word \(word.rawValue)")
    }
    self = same
  }
}
