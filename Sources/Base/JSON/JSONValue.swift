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

/// The members of a JSON object, in the order of the text, each key once. Objects with the same
/// members in a different order are equal.
///
/// Keys are compared by code units (RFC 8259, section 8.3): a composed and a decomposed "é" are
/// different keys, although they are equal as Swift strings.
package struct JSONObject: Sendable {
  private struct ExactKey: Hashable, Sendable {
    let text: String

    static func == (first: ExactKey, second: ExactKey) -> Bool {
      first.text == second.text && first.text.utf8.elementsEqual(second.text.utf8)
    }
  }

  private struct Member: Hashable, Sendable {
    let key: ExactKey
    var value: JSONValue
  }

  private var list: [Member] = []
  /// The position of each key; empty while there are so few members that a linear search is faster.
  private var places: [ExactKey: Int] = [:]
  private static let indexedCount = 32

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
    get { place(of: ExactKey(text: key)).map { list[$0].value } }
    set {
      let key = ExactKey(text: key)
      switch (place(of: key), newValue) {
      case (let place?, let value?): list[place].value = value
      case (let place?, nil):
        list.remove(at: place)
        if !places.isEmpty { index() }
      case (nil, let value?):
        list.append(Member(key: key, value: value))
        if !places.isEmpty {
          places[key] = list.count - 1
        } else if list.count > Self.indexedCount {
          index()
        }
      case (nil, nil): break
      }
    }
  }

  private func place(of key: ExactKey) -> Int? {
    places.isEmpty ? list.firstIndex { $0.key == key } : places[key]
  }

  private mutating func index() {
    places.removeAll()
    guard list.count > Self.indexedCount else { return }
    for (place, member) in list.enumerated() { places[member.key] = place }
  }
}

extension JSONObject: Hashable {
  package static func == (first: JSONObject, second: JSONObject) -> Bool {
    first.list.count == second.list.count
      && (first.list == second.list
        || first.list.allSatisfy { second[$0.key.text] == $0.value })
  }

  package func hash(into hasher: inout Hasher) {
    var sum = 0
    for member in list {
      var own = Hasher()
      own.combine(member)
      sum ^= own.finalize()
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

  /// The value's type in words, for messages.
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
  /// The same value with every string changed, except keys.
  package func mapStrings(_ change: (String) -> String) -> JSONValue {
    switch self {
    case .string(let text): return .string(change(text))
    case .array(let elements): return .array(elements.map { $0.mapStrings(change) })
    case .object(var members):
      for key in members.keys { members[key] = members[key]?.mapStrings(change) }
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
