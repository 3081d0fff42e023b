import Bytes
import GraphIR
import JSON

/// A description as texts under keys, for formats that hold no more.
///
/// - the members of `Schemas/metadata.schema.json` stand under their own names, lists and objects as
///   JSON
/// - `source`: what the model was made with
/// - all others: the author's own, by their keys; one that is taken begins with `user.`
enum DescriptionEntries {
  private static let texts: Set<String> = [
    "name", "author", "license", "licenseNote", "version", "description",
  ]
  private static let structures: Set<String> = ["inputs", "outputs", "labels", "detector"]
  private static let sourceKey = "source"
  private static let userPrefix = "user."

  /// The entries in a fixed order.
  ///
  /// - Parameter reserved: Keys that the format itself takes.
  static func entries(
    _ content: ModelContent, reserved: Set<String> = []
  ) -> [(key: String, value: String)] {
    var entries: [(key: String, value: String)] = []
    let members = content.description.json.object ?? JSONObject()
    for key in members.keys where texts.contains(key) || structures.contains(key) {
      guard let value = members[key] else { continue }
      entries.append((key, value.string ?? value.text()))
    }
    let provenance = content.provenance
    let version = provenance.frameworkVersion.map { " \($0)" } ?? ""
    if !provenance.framework.isEmpty {
      entries.append((sourceKey, provenance.framework + version))
    }
    let user = content.description.userDefined
    for (key, value) in user.sorted(by: { $0.key < $1.key }) {
      entries.append((isTaken(key, reserved) ? userPrefix + key : key, value))
    }
    return entries
  }

  /// Lets a model be described by entries again.
  ///
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when they are about another model.
  static func apply(
    _ entries: [(key: String, value: String)], reserved: Set<String> = [],
    to content: inout ModelContent
  ) throws(WeighbridgeError) {
    let (stated, user) = Self.members(entries, reserved)
    var members = stated
    members["userDefined"] = .object(user)
    members["inputs"] = renaming(content.graph.inputs, as: members["inputs"])
    members["outputs"] = renaming(content.graph.outputs, as: members["outputs"])
    try content.apply(DescriptionEdit(metadata: .object(members)))
  }

  /// What entries say where there is no model that they could be checked with; nothing about inputs
  /// and outputs.
  static func description(
    _ entries: [(key: String, value: String)], reserved: Set<String> = []
  ) -> ModelDescription {
    let (members, user) = Self.members(entries, reserved)
    var description = ModelDescription()
    description.name = members["name"]?.string
    description.author = members["author"]?.string
    description.license = members["license"]?.string.map { License(parsing: $0) }
    description.version = members["version"]?.string
    description.summary = members["description"]?.string
    description.labels = members["labels"]?.array?.compactMap(\.string) ?? []
    for key in user.keys { description.userDefined[key] = user[key]?.string }
    return description
  }

  /// The members of the description, and the author's own entries.
  private static func members(
    _ entries: [(key: String, value: String)], _ reserved: Set<String>
  ) -> (JSONObject, user: JSONObject) {
    var (members, user) = (JSONObject(), JSONObject())
    for (key, value) in entries where key != sourceKey && !reserved.contains(key) {
      let plain = key.hasPrefix(userPrefix) ? String(key.dropFirst(userPrefix.count)) : key
      if texts.contains(key) {
        members[key] = .string(value)
      } else if structures.contains(key), let json = try? JSONValue(parsing: Array(value.utf8)) {
        members[key] = json
      } else {
        user[isTaken(plain, reserved) ? plain : key] = .string(value)
      }
    }
    return (members, user)
  }

  private static func isTaken(_ key: String, _ reserved: Set<String>) -> Bool {
    texts.contains(key) || structures.contains(key) || reserved.contains(key) || key == sourceKey
      || key == "userDefined" || key.hasPrefix(userPrefix)
  }

  /// Features that say which of the model's ports they are about: those in the same places.
  private static func renaming(_ ports: [Port], as features: JSONValue?) -> JSONValue? {
    guard let features = features?.array, features.count == ports.count else { return features }
    return .array(
      zip(ports, features).map { port, feature in
        guard var members = feature.object, members["name"] != .string(port.name) else {
          return feature
        }
        members["source"] = .string(port.name)
        return .object(members)
      })
  }
}
