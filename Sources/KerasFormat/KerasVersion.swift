/// A version of Keras, as files carry it.
package struct KerasVersion: Hashable, Sendable, Comparable, CustomStringConvertible {
  package let major: Int
  package let minor: Int
  package let patch: Int

  package init(_ major: Int, _ minor: Int, _ patch: Int) {
    (self.major, self.minor, self.patch) = (major, minor, patch)
  }

  /// Reads `2.1.5`, `2.2.4-tf` or `2.15.0`.
  package init?(_ text: String) {
    let parts = text.prefix { $0.isNumber || $0 == "." }.split(separator: ".").map { Int($0) }
    guard let major = parts.first ?? nil else { return nil }
    self.init(
      major, parts.count > 1 ? parts[1] ?? 0 : 0, parts.count > 2 ? parts[2] ?? 0 : 0)
  }

  package var description: String { "\(major).\(minor).\(patch)" }

  package static func < (first: Self, second: Self) -> Bool {
    (first.major, first.minor, first.patch) < (second.major, second.minor, second.patch)
  }
}
