import Bytes
import JSON

/// The members of an object in a file of custom layers; each is read at most once, none is left.
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

  /// An error about a member, or about the whole object.
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

  mutating func text(_ key: String) throws(WeighbridgeError) -> String? {
    guard let value = take(key) else { return nil }
    guard let text = value.string else { throw failure("is \(value.typeName), not a string", key) }
    return text
  }

  mutating func flag(_ key: String) throws(WeighbridgeError) -> Bool? {
    guard let value = take(key) else { return nil }
    guard let flag = value.bool else {
      throw failure("is \(value.typeName), not true or false", key)
    }
    return flag
  }

  mutating func object(_ key: String) throws(WeighbridgeError) -> JSONObject? {
    guard let value = take(key) else { return nil }
    guard let object = value.object else {
      throw failure("is \(value.typeName), not an object", key)
    }
    return object
  }

  mutating func list(_ key: String) throws(WeighbridgeError) -> [JSONValue]? {
    guard let value = take(key) else { return nil }
    guard let list = value.array else { throw failure("is \(value.typeName), not a list", key) }
    return list
  }

  mutating func texts(_ key: String) throws(WeighbridgeError) -> [String]? {
    guard let list = try list(key) else { return nil }
    let texts = list.compactMap(\.string)
    guard texts.count == list.count else { throw failure("is not a list of strings", key) }
    return texts
  }
}
