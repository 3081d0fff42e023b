import Bytes

/// A version of Keras, such as 2.1.5 or 2.2.4-tf. The suffix is kept, but not compared.
package struct KerasVersion: Hashable, Sendable {
  /// The first number, which determines the file's format and the meaning of many layers.
  package let major: Int
  /// The second number.
  package let minor: Int
  /// The third number.
  package let patch: Int
  /// What follows the numbers, such as `-tf` for a Keras inside TensorFlow; usually empty.
  package let suffix: String

  /// Creates a version from its numbers.
  package init(_ major: Int, _ minor: Int, _ patch: Int = 0) {
    self.major = major
    self.minor = minor
    self.patch = patch
    suffix = ""
  }

  /// Parses `2.1.5`, `2.2.4-tf`, `2.3`, `2.15.0rc1`; `nil` when the text is not a version.
  package init?(_ text: String) {
    var rest = text[...]
    guard let major = Self.parseNumber(&rest), Self.consume(".", &rest),
      let minor = Self.parseNumber(&rest)
    else { return nil }
    self.major = major
    self.minor = minor
    if rest.first == ".", let digit = rest.dropFirst().first, digit.isASCII, digit.isNumber {
      rest.removeFirst()
      guard let patch = Self.parseNumber(&rest) else { return nil }
      self.patch = patch
    } else {
      patch = 0
    }
    suffix = String(rest)
  }

  /// Parses the version given in a file.
  init(checking text: String) throws(WeighbridgeError) {
    guard let version = KerasVersion(text) else {
      throw .malformed("keras_version \"\(text)\" is not a version")
    }
    self = version
  }

  private static func parseNumber(_ rest: inout Substring) -> Int? {
    let digits = rest.prefix { $0.isASCII && $0.isNumber }
    rest = rest[digits.endIndex...]
    return Int(digits)
  }

  private static func consume(_ character: Character, _ rest: inout Substring) -> Bool {
    guard rest.first == character else { return false }
    rest.removeFirst()
    return true
  }
}

extension KerasVersion: Comparable {
  package static func < (lhs: KerasVersion, rhs: KerasVersion) -> Bool {
    (lhs.major, lhs.minor, lhs.patch) < (rhs.major, rhs.minor, rhs.patch)
  }

  /// Whether the numbers are equal; the suffix identifies the packaging, not the semantics.
  package static func == (lhs: KerasVersion, rhs: KerasVersion) -> Bool {
    (lhs.major, lhs.minor, lhs.patch) == (rhs.major, rhs.minor, rhs.patch)
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(major)
    hasher.combine(minor)
    hasher.combine(patch)
  }
}

extension KerasVersion: CustomStringConvertible {
  /// The version as the file spells it, with three numbers.
  package var description: String { "\(major).\(minor).\(patch)\(suffix)" }
}
