/// A section of a `.cfg`.
package struct DarknetSection: Hashable, Sendable {
  /// The name between the brackets, as written.
  package let name: String
  /// The line of its name; the first is 1.
  package let line: Int
  /// Its keys in order, including repeated ones.
  package private(set) var options: [DarknetOption] = []

  /// Makes a section.
  package init(name: String, line: Int, options: [DarknetOption] = []) {
    self.name = name
    self.line = line
    self.options = options
  }

  mutating func append(_ option: DarknetOption) { options.append(option) }

  /// The first occurrence of a key with a value, which is the one that counts.
  package func option(_ key: String) -> DarknetOption? {
    options.first { $0.key == key && !$0.value.isEmpty }
  }

  /// Returns the section with another value for a key; `nil` removes the key.
  package func setting(_ key: String, to value: Int?) -> DarknetSection {
    let added = value.map { DarknetOption(key: key, value: String($0), line: line) }
    return DarknetSection(
      name: name, line: line, options: options.filter { $0.key != key } + (added.map { [$0] } ?? [])
    )
  }
}

/// A key of a `.cfg` with its value.
package struct DarknetOption: Hashable, Sendable {
  /// The key.
  package let key: String
  /// The value, without blanks; may be empty.
  package let value: String
  /// Its line; the first is 1.
  package let line: Int

  /// Makes a key with its value.
  package init(key: String, value: String, line: Int) {
    self.key = key
    self.value = value
    self.line = line
  }

  /// The key and value as written in the file, without blanks.
  package var text: String { "\(key)=\(value)" }
}
