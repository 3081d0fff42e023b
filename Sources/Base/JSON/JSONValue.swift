/// A JSON value (RFC 8259), with objects in the order of the text.
package enum JSONValue: Hashable, Sendable {
  case null
  case bool(Bool)
  case integer(Int)
  case real(Double)
  case string(String)
  case array([JSONValue])
  case object(JSONObject)
}

/// The members of a JSON object, in the order of the text, with unique keys. Objects with the same
/// members in a different order are equal.
///
/// Keys are compared by code units (RFC 8259, section 8.3): a composed and a decomposed "é" are
/// different keys, although they are equal as Swift strings.
package struct JSONObject: Sendable {
  private struct ExactKey: Hashable, Sendable {
    let text: String

    static func == (lhs: ExactKey, rhs: ExactKey) -> Bool {
      lhs.text == rhs.text && lhs.text.utf8.elementsEqual(rhs.text.utf8)
    }
  }

  private struct Member: Hashable, Sendable {
    let key: ExactKey
    var value: JSONValue
  }

  private var list: [Member] = []
  /// The index of each key; empty while there are so few members that a linear search is faster.
  private var indices: [ExactKey: Int] = [:]
  private static let linearSearchLimit = 32

  /// An object without members.
  package init() {}

  /// The keys, in order.
  package var keys: [String] { list.map(\.key.text) }

  /// The members, in order.
  package var members: some Collection<(key: String, value: JSONValue)> {
    list.lazy.map { ($0.key.text, $0.value) }
  }

  /// The value under a key; setting a new key appends it, setting `nil` removes it.
  package subscript(_ key: String) -> JSONValue? {
    get { index(of: ExactKey(text: key)).map { list[$0].value } }
    set {
      let key = ExactKey(text: key)
      switch (index(of: key), newValue) {
      case (let index?, let value?): list[index].value = value
      case (let index?, nil):
        list.remove(at: index)
        if !indices.isEmpty { rebuildIndices() }
      case (nil, let value?):
        // Most objects have several members: this saves the growth from one to two to four.
        if list.isEmpty { list.reserveCapacity(4) }
        list.append(Member(key: key, value: value))
        if !indices.isEmpty {
          indices[key] = list.count - 1
        } else if list.count > Self.linearSearchLimit {
          rebuildIndices()
        }
      case (nil, nil): break
      }
    }
  }

  private func index(of key: ExactKey) -> Int? {
    indices.isEmpty ? list.firstIndex { $0.key == key } : indices[key]
  }

  private mutating func rebuildIndices() {
    indices.removeAll()
    guard list.count > Self.linearSearchLimit else { return }
    for (index, member) in list.enumerated() { indices[member.key] = index }
  }
}

extension JSONObject: Hashable {
  package static func == (lhs: JSONObject, rhs: JSONObject) -> Bool {
    lhs.list.count == rhs.list.count
      && (lhs.list == rhs.list
        || lhs.list.allSatisfy { rhs[$0.key.text] == $0.value })
  }

  package func hash(into hasher: inout Hasher) {
    var sum = 0
    for member in list {
      var memberHasher = Hasher()
      memberHasher.combine(member)
      sum ^= memberHasher.finalize()
    }
    hasher.combine(sum)
  }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  package init(dictionaryLiteral elements: (String, JSONValue)...) {
    for (key, value) in elements { self[key] = value }
  }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral
{
  package init(stringLiteral value: String) { self = .string(value) }
  package init(integerLiteral value: Int) { self = .integer(value) }
  package init(booleanLiteral value: Bool) { self = .bool(value) }
  package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
}

extension JSONValue {
  /// The members, when this is an object.
  package var object: JSONObject? { if case .object(let value) = self { value } else { nil } }
  /// The elements, when this is an array.
  package var array: [JSONValue]? { if case .array(let value) = self { value } else { nil } }
  /// The string, when this is one.
  package var string: String? { if case .string(let value) = self { value } else { nil } }
  /// The boolean, when this is one.
  package var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

  /// The integer, when this is a number without a fraction that fits an `Int`.
  package var integer: Int? {
    switch self {
    case .integer(let value): value
    case .real(let value): Int(exactly: value)
    default: nil
    }
  }

  /// The number, when this is one.
  package var real: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .real(let value): value
    default: nil
    }
  }

  /// The name of the value's type, for messages.
  package var typeName: String {
    switch self {
    case .null: "null"
    case .bool: "a boolean"
    case .integer, .real: "a number"
    case .string: "a string"
    case .array: "a list"
    case .object: "an object"
    }
  }
}

extension JSONValue {
  /// The same value with every string except keys transformed.
  package func mapStrings(_ transform: (String) -> String) -> JSONValue {
    switch self {
    case .string(let text): return .string(transform(text))
    case .array(let elements): return .array(elements.map { $0.mapStrings(transform) })
    case .object(var members):
      for key in members.keys { members[key] = members[key]?.mapStrings(transform) }
      return .object(members)
    case .null, .bool, .integer, .real: return self
    }
  }
}

extension [String: String] {
  /// The entries sorted by key.
  package var jsonObject: JSONObject {
    var object = JSONObject()
    for key in keys.sorted() { object[key] = self[key].map(JSONValue.string) }
    return object
  }
}
