package import Bytes
package import GraphIR
import JSON

/// A model's description as strings under keys, for everything that a format has no field for.
///
/// - the members of `Schemas/metadata.schema.json` have their own names as keys, or those that the
///   format uses for them (``MetadataScheme``); lists and objects are JSON
/// - `licenseNote` is present when it says more than the license itself
/// - `image.NAME`: how an image becomes the input NAME, where inputs are described elsewhere
/// - `source`: what the model was made with
/// - all others: the author's own, under their keys; a key that is taken is prefixed with `user.`
package enum DescriptionEntries {
  /// The entries in a fixed order.
  ///
  /// - Parameters:
  ///   - omitted: Fields that the file has elsewhere, or cannot have.
  ///   - further: Entries under keys that the format reserves; `nil` values are left out.
  package static func entries(
    _ description: ModelDescription, _ provenance: Provenance, _ scheme: MetadataScheme,
    omitting omitted: Set<MetadataScheme.Field> = [], further: [(key: String, value: String?)] = []
  ) -> [(key: String, value: String)] {
    var entries: [(key: String, value: String)] = []
    for field in MetadataScheme.Field.allCases where !omitted.contains(field) {
      guard let key = scheme.key(of: field), let text = text(field, description, provenance)
      else { continue }
      entries.append((key, text))
    }
    for feature in description.inputs where scheme.places.contains(.inputs) {
      guard let image = feature.image else { continue }
      entries.append((MetadataScheme.imagePrefix + feature.name, image.json.text()))
    }
    for (key, value) in further {
      if let value { entries.append((key, value)) }
    }
    for (key, value) in description.userDefined.sorted(by: { $0.key < $1.key }) {
      entries.append((scheme.isTaken(key) ? MetadataScheme.userPrefix + key : key, value))
    }
    return entries
  }

  /// The string of a field; `nil` when nothing is known.
  private static func text(
    _ field: MetadataScheme.Field, _ description: ModelDescription, _ provenance: Provenance
  ) -> String? {
    switch field {
    case .source:
      let version = provenance.frameworkVersion.map { " \($0)" } ?? ""
      return provenance.framework.isEmpty ? nil : provenance.framework + version
    case .licenseNote:
      guard let license = description.license else { return nil }
      return license.note == License(parsing: license.text).note ? nil : license.note
    default:
      guard let value = description.json.object?[field.rawValue] else { return nil }
      return value.string ?? value.text()
    }
  }

  /// Describes a model by the entries of its file. The format's own fields have been applied
  /// already.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when they do not fit the model;
  ///   ``WeighbridgeError/Code/mismatch`` where the model comes from another file than the entries.
  package static func apply(
    _ entries: [(key: String, value: String)], _ scheme: MetadataScheme,
    to content: inout ModelContent
  ) throws(WeighbridgeError) {
    let read = try Members(entries, scheme)
    var members = read.members
    members["userDefined"] = .object(read.user)
    try checkNames(read.images, content.graph.inputs)
    members["inputs"] =
      scheme.places.contains(.inputs)
      ? .array(read.images) : renaming(content.graph.inputs, as: members["inputs"])
    members["outputs"] = renaming(content.graph.outputs, as: members["outputs"])
    do throws(WeighbridgeError) {
      try content.apply(DescriptionEdit(metadata: .object(members)))
    } catch {
      guard scheme.holdsNetwork else { throw error }
      throw .malformed("the metadata does not fit: \(error.reason)")
    }
    if scheme.holdsNetwork, let source = read.source { content.provenance.restore(source) }
  }

  /// What entries say where there is no model to check them against; nothing about inputs and
  /// outputs.
  package static func description(
    _ entries: [(key: String, value: String)], _ scheme: MetadataScheme
  ) -> ModelDescription {
    var description = ModelDescription()
    guard let read = try? Members(entries, scheme) else { return description }
    let members = read.members
    description.name = members["name"]?.string
    description.author = members["author"]?.string
    description.license = members["license"]?.string.map { License(parsing: $0) }
    description.version = members["version"]?.string
    description.summary = members["description"]?.string
    description.labels = members["labels"]?.array?.compactMap(\.string) ?? []
    for key in read.user.keys { description.userDefined[key] = read.user[key]?.string }
    return description
  }

  private static func checkNames(
    _ images: [JSONValue], _ ports: [Port]
  ) throws(WeighbridgeError) {
    for case .object(let image) in images {
      guard let name = image["name"]?.string, !ports.contains(where: { $0.name == name })
      else { continue }
      throw .malformed("the metadata says how an image becomes \(name), which is no input")
    }
  }

  /// The features, each with the name of the port at the same position as its source.
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

extension Provenance {
  /// Takes over the framework that the model was made with. A file in that framework's own format
  /// states its version itself.
  fileprivate mutating func restore(_ source: String) {
    let words = source.split(separator: " ", maxSplits: 1).map(String.init)
    guard let name = words.first, name != framework else { return }
    (framework, frameworkVersion) = (name, words.count > 1 ? words[1] : nil)
  }
}
