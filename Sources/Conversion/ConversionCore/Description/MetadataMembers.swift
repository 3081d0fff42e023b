package import Bytes
package import JSON

/// The members of an object in a metadata file; each is read at most once, none is left.
package struct MetadataMembers {
  private var members: JSONObject
  private let place: String

  package init(_ json: JSONValue, place: String) throws(WeighbridgeError) {
    guard let object = json.object else {
      throw WeighbridgeError(.mismatch, "\(json.typeName) where an object is expected")
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
    guard let value = take(key) else { return nil }
    guard let text = value.string else { throw wrong(key, "is not a string") }
    return text
  }

  package mutating func texts(_ key: String) throws(WeighbridgeError) -> [String]? {
    guard let value = take(key) else { return nil }
    let texts = value.array?.compactMap(\.string)
    guard let texts, texts.count == value.array?.count else {
      throw wrong(key, "is not a list of strings")
    }
    return texts
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
    guard let value = take(key) else { return nil }
    guard let flag = value.bool else { throw wrong(key, "is not true or false") }
    return flag
  }

  package mutating func integer(_ key: String) throws(WeighbridgeError) -> Int? {
    guard let value = take(key) else { return nil }
    guard let integer = value.integer else { throw wrong(key, "is not a whole number") }
    return integer
  }

  package mutating func integers(_ key: String) throws(WeighbridgeError) -> [Int]? {
    guard let value = take(key) else { return nil }
    let integers = value.array?.compactMap(\.integer)
    guard let integers, integers.count == value.array?.count else {
      throw wrong(key, "is not a list of whole numbers")
    }
    return integers
  }

  /// A list of whole numbers, in which some may be null.
  package mutating func optionalIntegers(_ key: String) throws(WeighbridgeError) -> [Int?]? {
    guard let value = take(key) else { return nil }
    guard let elements = value.array,
      elements.allSatisfy({ $0 == .null || $0.integer != nil })
    else { throw wrong(key, "is not a list of whole numbers and nulls") }
    return elements.map(\.integer)
  }

  package mutating func number(_ key: String) throws(WeighbridgeError) -> Double? {
    guard let value = take(key) else { return nil }
    guard let number = value.real else { throw wrong(key, "is not a number") }
    return number
  }

  package mutating func numbers(_ key: String) throws(WeighbridgeError) -> [Double]? {
    guard let value = take(key) else { return nil }
    let numbers = value.array?.compactMap(\.real)
    guard let numbers, numbers.count == value.array?.count else {
      throw wrong(key, "is not a list of numbers")
    }
    return numbers
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

  private mutating func take(_ key: String) -> JSONValue? {
    defer { members[key] = nil }
    return members[key] == .null ? nil : members[key]
  }
}
