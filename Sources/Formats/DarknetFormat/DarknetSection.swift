/// A section of a `.cfg` file.
package struct DarknetSection: Hashable, Sendable {
  /// The name between the brackets, as written.
  package let name: String
  /// The line number of its header; the first line is 1.
  package let line: Int
  /// Its options in order, including repeated keys.
  package private(set) var options: [DarknetOption] = []

  /// Creates a section.
  package init(name: String, line: Int, options: [DarknetOption] = []) {
    self.name = name
    self.line = line
    self.options = options
  }

  mutating func append(_ option: DarknetOption) { options.append(option) }

  /// The first occurrence of a key with a value, which takes precedence; `nil` when the key stands
  /// in a line without `=` before.
  package func option(_ key: String) -> DarknetOption? {
    let first = options.first { $0.key == key && ($0.isBare || !$0.value.isEmpty) }
    return first.flatMap { $0.isBare ? nil : $0 }
  }

  /// Returns the section with another value for a key; `nil` removes the key.
  package func setting(_ key: String, to value: Int?) -> DarknetSection {
    var options = options.filter { $0.key != key }
    if let value { options.append(DarknetOption(key: key, value: String(value), line: line)) }
    return DarknetSection(name: name, line: line, options: options)
  }
}

/// A key of a `.cfg` file with its value.
package struct DarknetOption: Hashable, Sendable {
  /// The key.
  package let key: String
  /// The value without whitespace; may be empty.
  package let value: String
  /// Its line number; the first line is 1.
  package let line: Int
  /// The line as written if it has no `=`. darknet stores it as a key without a value, which
  /// stands for the key's default and takes precedence over later lines with the key.
  package let bareLine: String?

  /// Creates an option.
  package init(key: String, value: String, line: Int, bareLine: String? = nil) {
    self.key = key
    self.value = value
    self.line = line
    self.bareLine = bareLine
  }

  /// Whether the line has no `=`.
  package var isBare: Bool { bareLine != nil }

  /// The key and value as in the file, without whitespace.
  package var text: String { "\(key)=\(value)" }
}
