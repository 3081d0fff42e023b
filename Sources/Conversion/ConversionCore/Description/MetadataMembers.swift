package import Bytes
package import JSON

/// The members of an object in a metadata file. Each is read at most once, and ``finish()`` refuses
/// those that were not read.
package struct MetadataMembers {
  private var members: JSONObject
  /// The JSON pointer of the object.
  private let path: String

  /// - Parameter path: The JSON pointer of the object; empty for the whole file.
  package init(_ json: JSONValue, path: String) throws(WeighbridgeError) {
    guard let object = json.object else {
      throw .mismatch("\(json.typeName) where an object is expected")
        .at(.path(path.isEmpty ? "/" : path))
    }
    members = object
    self.path = path
  }

  /// Refuses a member that was not read.
  package func finish() throws(WeighbridgeError) {
    if let key = members.keys.first { throw error(at: key, "is not known") }
  }

  /// Whether there is a member with that name that is not null.
  package func has(_ key: String) -> Bool { (members[key] ?? .null) != .null }

  /// Returns the error for a member.
  package func error(at key: String, _ problem: String) -> WeighbridgeError {
    WeighbridgeError(.mismatch, problem).at(.path("\(path)/\(key)"))
  }

  package mutating func string(_ key: String) throws(WeighbridgeError) -> String? {
    try value(key, "a string", \.string)
  }

  package mutating func strings(_ key: String) throws(WeighbridgeError) -> [String]? {
    try values(key, "strings", \.string)
  }

  /// A string that is the raw value of a case.
  package mutating func choice<Choice: RawRepresentable<String> & CaseIterable & Sendable>(
    _ key: String, as type: Choice.Type = Choice.self
  ) throws(WeighbridgeError) -> Choice? {
    guard let rawValue = try string(key) else { return nil }
    guard let choice = Choice(rawValue: rawValue) else {
      let known = Choice.allCases.map(\.rawValue).joined(separator: ", ")
      throw error(at: key, "is \(rawValue), and one of \(known) is expected")
    }
    return choice
  }

  /// A list of strings that are raw values of cases.
  package mutating func choices<Choice: RawRepresentable<String> & CaseIterable & Sendable>(
    _ key: String, as type: Choice.Type = Choice.self
  ) throws(WeighbridgeError) -> [Choice]? {
    guard let rawValues = try strings(key) else { return nil }
    let choices = rawValues.compactMap(Choice.init(rawValue:))
    guard choices.count == rawValues.count else {
      let known = Choice.allCases.map(\.rawValue).joined(separator: ", ")
      throw error(at: key, "is a list of some of \(known)")
    }
    return choices
  }

  package mutating func flag(_ key: String) throws(WeighbridgeError) -> Bool? {
    try value(key, "true or false", \.bool)
  }

  package mutating func integer(_ key: String) throws(WeighbridgeError) -> Int? {
    try value(key, "an integer", \.integer)
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
    return try MetadataMembers(value, path: "\(path)/\(key)")
  }

  package mutating func list(_ key: String) throws(WeighbridgeError) -> [MetadataMembers] {
    guard let value = take(key) else { return [] }
    guard let elements = value.array else { throw error(at: key, "is not a list") }
    var result: [MetadataMembers] = []
    for (index, element) in elements.enumerated() {
      result.append(try MetadataMembers(element, path: "\(path)/\(key)/\(index)"))
    }
    return result
  }

  /// All members, which must be strings.
  package mutating func allStrings() throws(WeighbridgeError) -> [String: String] {
    var result: [String: String] = [:]
    for key in members.keys { result[key] = try string(key) }
    return result
  }

  /// The member, converted to the expected type.
  private mutating func value<Value>(
    _ key: String, _ expected: String, _ convert: (JSONValue) -> Value?
  ) throws(WeighbridgeError) -> Value? {
    guard let value = take(key) else { return nil }
    guard let converted = convert(value) else { throw error(at: key, "is not \(expected)") }
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
