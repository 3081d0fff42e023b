import Bytes
import JSON

/// The members of an object in a file of custom layers. Reading a member consumes it, and none may
/// remain.
struct MappingMembers {
  private var members: JSONObject
  let place: String

  init(_ json: JSONValue, place: String) throws(WeighbridgeError) {
    guard let object = json.object else {
      throw Self.failure("is \(json.typeName), and an object is expected", place)
    }
    members = object
    self.place = place
  }

  private static func failure(_ reason: String, _ place: String) -> WeighbridgeError {
    WeighbridgeError(.mismatch, place.isEmpty ? reason : "\(place) \(reason)")
  }

  /// Creates an error about a member, or about the whole object.
  func failure(_ reason: String, _ key: String = "") -> WeighbridgeError {
    let parts = [place, key].filter { !$0.isEmpty }
    return Self.failure(reason, parts.joined(separator: "."))
  }

  func has(_ key: String) -> Bool { members[key] != nil }

  func finish() throws(WeighbridgeError) {
    if let key = members.keys.first { throw failure("is not known here", key) }
  }

  mutating func take(_ key: String) -> JSONValue? {
    let value = members[key]
    members[key] = nil
    return value
  }

  mutating func string(_ key: String) throws(WeighbridgeError) -> String? {
    try member(key, \.string, "a string")
  }

  mutating func flag(_ key: String) throws(WeighbridgeError) -> Bool? {
    try member(key, \.bool, "true or false")
  }

  mutating func object(_ key: String) throws(WeighbridgeError) -> JSONObject? {
    try member(key, \.object, "an object")
  }

  mutating func list(_ key: String) throws(WeighbridgeError) -> [JSONValue]? {
    try member(key, \.array, "a list")
  }

  private mutating func member<Value>(
    _ key: String, _ read: (JSONValue) -> Value?, _ expected: String
  ) throws(WeighbridgeError) -> Value? {
    guard let json = take(key) else { return nil }
    guard let value = read(json) else { throw failure("is \(json.typeName), not \(expected)", key) }
    return value
  }

  mutating func strings(_ key: String) throws(WeighbridgeError) -> [String]? {
    guard let list = try list(key) else { return nil }
    let strings = list.compactMap(\.string)
    guard strings.count == list.count else { throw failure("is not a list of strings", key) }
    return strings
  }
}

/// A name in which each `*` matches any string, including an empty one.
package struct NamePattern: Hashable, Sendable {
  /// The pattern as it was written.
  let text: String
  private let parts: [[UInt8]]

  /// Creates a pattern.
  init(_ text: String) {
    self.text = text
    parts = text.utf8.split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false)
      .map(Array.init)
  }

  /// Whether it has no `*`, so that one name matches.
  var isExact: Bool { parts.count == 1 }

  /// The number of bytes other than `*`: of two patterns, the one with more is more specific.
  var literalCount: Int { parts.reduce(0) { $0 + $1.count } }

  /// Whether a name matches. Takes at most time proportional to the product of both lengths.
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
    // The first match of each part leaves the most for the parts after it.
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
