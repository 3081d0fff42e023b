package import Bytes
package import JSON

/// The members of an object in a metadata file; each is read at most once, and none may be left.
package struct MetadataMembers {
  private var members: JSONObject
  private let place: String

  package init(_ json: JSONValue, place: String) throws(WeighbridgeError) {
    guard let object = json.object else {
      throw .mismatch("\(json.typeName) where an object is expected")
        .at(.path(place.isEmpty ? "/" : place))
    }
    members = object
    self.place = place
  }

  package func finish() throws(WeighbridgeError) {
    if let key = members.keys.first { throw wrong(key, "is not known") }
  }

  /// Whether there is a member of that name that is not null.
  package func has(_ key: String) -> Bool { (members[key] ?? .null) != .null }

  package func wrong(_ key: String, _ problem: String) -> WeighbridgeError {
    WeighbridgeError(.mismatch, problem).at(.path("\(place)/\(key)"))
  }

  package mutating func text(_ key: String) throws(WeighbridgeError) -> String? {
    try value(key, "a string", \.string)
  }

  package mutating func texts(_ key: String) throws(WeighbridgeError) -> [String]? {
    try values(key, "strings", \.string)
  }

  package mutating func word<Word: RawRepresentable<String> & CaseIterable & Sendable>(
    _ key: String, as type: Word.Type = Word.self
  ) throws(WeighbridgeError) -> Word? {
    guard let text = try text(key) else { return nil }
    guard let word = Word(rawValue: text) else {
      let known = Word.allCases.map(\.rawValue).joined(separator: ", ")
      throw wrong(key, "is \(text), and one of \(known) is expected")
    }
    return word
  }

  package mutating func words<Word: RawRepresentable<String> & CaseIterable & Sendable>(
    _ key: String, as type: Word.Type = Word.self
  ) throws(WeighbridgeError) -> [Word]? {
    guard let texts = try texts(key) else { return nil }
    let words = texts.compactMap(Word.init(rawValue:))
    guard words.count == texts.count else {
      let known = Word.allCases.map(\.rawValue).joined(separator: ", ")
      throw wrong(key, "is a list of some of \(known)")
    }
    return words
  }

  package mutating func flag(_ key: String) throws(WeighbridgeError) -> Bool? {
    try value(key, "true or false", \.bool)
  }

  package mutating func integer(_ key: String) throws(WeighbridgeError) -> Int? {
    try value(key, "a whole number", \.integer)
  }

  package mutating func integers(_ key: String) throws(WeighbridgeError) -> [Int]? {
    try values(key, "whole numbers", \.integer)
  }

  /// A list of whole numbers, in which some may be null.
  package mutating func optionalIntegers(_ key: String) throws(WeighbridgeError) -> [Int?]? {
    try values(key, "whole numbers and nulls") { value in
      value == .null ? .some(nil) : value.integer.map(Optional.some)
    }
  }

  package mutating func number(_ key: String) throws(WeighbridgeError) -> Double? {
    try value(key, "a number", \.real)
  }

  package mutating func numbers(_ key: String) throws(WeighbridgeError) -> [Double]? {
    try values(key, "numbers", \.real)
  }

  package mutating func object(_ key: String) throws(WeighbridgeError) -> MetadataMembers? {
    guard let value = take(key) else { return nil }
    return try MetadataMembers(value, place: "\(place)/\(key)")
  }

  package mutating func list(_ key: String) throws(WeighbridgeError) -> [MetadataMembers] {
    guard let value = take(key) else { return [] }
    guard let elements = value.array else { throw wrong(key, "is not a list") }
    var result: [MetadataMembers] = []
    for (index, element) in elements.enumerated() {
      result.append(try MetadataMembers(element, place: "\(place)/\(key)/\(index)"))
    }
    return result
  }

  package mutating func allTexts() throws(WeighbridgeError) -> [String: String] {
    var result: [String: String] = [:]
    for key in members.keys { result[key] = try text(key) }
    return result
  }

  /// The member, converted to the expected type.
  private mutating func value<Value>(
    _ key: String, _ expected: String, _ convert: (JSONValue) -> Value?
  ) throws(WeighbridgeError) -> Value? {
    guard let value = take(key) else { return nil }
    guard let converted = convert(value) else { throw wrong(key, "is not \(expected)") }
    return converted
  }

  /// The member as a list, each element converted to the expected type.
  private mutating func values<Value>(
    _ key: String, _ expected: String, _ convert: (JSONValue) -> Value?
  ) throws(WeighbridgeError) -> [Value]? {
    try value(key, "a list of \(expected)") { list in
      let values = list.array?.compactMap(convert)
      return values?.count == list.array?.count ? values : nil
    }
  }

  private mutating func take(_ key: String) -> JSONValue? {
    defer { members[key] = nil }
    return members[key] == .null ? nil : members[key]
  }
}
