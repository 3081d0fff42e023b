import Bytes
import JSON

/// Replaces references in a mapping by the layer's own settings: `"$settings.groups"`, or
/// `"$settings.size.0"` for an element of a list. A string that begins with `$$` is taken
/// literally, with one `$` less.
struct SettingReferences {
  private static let prefix = "$settings."

  private let settings: JSONObject
  /// The settings that have been referred to.
  private(set) var used: Set<String> = []

  /// - Parameter settings: The layer's settings.
  init(_ settings: JSONObject) { self.settings = settings }

  /// Whether a value contains references to settings.
  static func occur(in value: JSONValue) -> Bool {
    if let text = value.string { return text.hasPrefix("$") }
    if let list = value.array { return list.contains(where: occur) }
    guard let object = value.object else { return false }
    return object.keys.contains { object[$0].map(occur) ?? false }
  }

  /// Returns the value with its references resolved.
  mutating func resolve(_ value: JSONValue) throws(WeighbridgeError) -> JSONValue {
    if let text = value.string { return try resolve(text) }
    if let list = value.array {
      let result = try list.map { (element) throws(WeighbridgeError) in try resolve(element) }
      return .array(result)
    }
    return try value.object.map { (object) throws(WeighbridgeError) in
      .object(try resolve(object))
    } ?? value
  }

  /// Returns the members with their references resolved.
  mutating func resolve(_ object: JSONObject) throws(WeighbridgeError) -> JSONObject {
    var result = JSONObject()
    for key in object.keys { result[key] = try resolve(object[key] ?? .null) }
    return result
  }

  private mutating func resolve(_ text: String) throws(WeighbridgeError) -> JSONValue {
    if text.hasPrefix("$$") { return .string(String(text.dropFirst())) }
    guard text.hasPrefix(Self.prefix) else {
      guard !text.hasPrefix("$") else {
        throw .mismatch(
          "\"\(text)\" is no reference; \"\(Self.prefix)NAME\" is, and \"$$\" is a \"$\"")
      }
      return .string(text)
    }
    let path = text.dropFirst(Self.prefix.count).split(
      separator: ".", omittingEmptySubsequences: false
    ).map(String.init)
    var value = settings[path[0]]
    for step in path.dropFirst() {
      let list = value?.array ?? []
      value =
        Int(step).flatMap { list.indices.contains($0) ? list[$0] : nil }
        ?? value?.object?[step]
    }
    guard let value else {
      throw .mismatch(
        "the mapping refers to \"\(text)\", and the layer's settings are "
          + (settings.keys.isEmpty ? "none" : settings.keys.joined(separator: ", ")))
    }
    used.insert(path[0])
    return value
  }
}
