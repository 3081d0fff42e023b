/// A name in which each `*` stands for any text, also none.
package struct NamePattern: Hashable, Sendable {
  /// The pattern as it was written.
  let text: String
  private let parts: [[UInt8]]

  /// Makes a pattern.
  init(_ text: String) {
    self.text = text
    parts = text.utf8.split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false)
      .map(Array.init)
  }

  /// Whether it has no `*`, so that one name matches.
  var isExact: Bool { parts.count == 1 }

  /// How many bytes it has besides `*`: of two patterns the one with more is the more exact.
  var literalCount: Int { parts.reduce(0) { $0 + $1.count } }

  /// Whether a name matches. Takes time in proportion to the product of both lengths at most.
  func matches(_ name: String) -> Bool {
    var rest = Array(name.utf8)[...]
    guard let first = parts.first, let last = parts.last, rest.starts(with: first) else {
      return false
    }
    if isExact { return rest.count == first.count }
    rest = rest.dropFirst(first.count)
    guard rest.count >= last.count, rest.suffix(last.count).elementsEqual(last) else {
      return false
    }
    rest = rest.dropLast(last.count)
    // The first place for each part leaves the most to those behind it.
    for part in parts.dropFirst().dropLast() where !part.isEmpty {
      while !rest.starts(with: part) {
        guard rest.count > part.count else { return false }
        rest = rest.dropFirst()
      }
      rest = rest.dropFirst(part.count)
    }
    return true
  }
}
