package import Bytes
package import GraphIR
import JSON

/// The parts of a model's description for which a format has no field of its own, as key-value
/// pairs of strings.
///
/// - The keys are the names of members in `Schemas/metadata.schema.json`, or the format's usual
///   keys for them (``MetadataScheme``). Lists and objects are JSON.
/// - `licenseNote` is present when it says more than the license itself.
/// - `image.NAME`: how an image becomes the input NAME, if inputs are described elsewhere.
/// - `name.NAME`: the model's name for the input or output that the file calls NAME, if the format
///   does not allow it.
/// - `source`: the framework that the model was made with.
/// - All others are user-defined and keep their keys; a key that is taken is prefixed with `user.`.
package enum DescriptionEntries {
  /// Returns the entries, in a fixed order.
  ///
  /// - Parameters:
  ///   - omitted: Fields that the file has elsewhere or cannot have.
  ///   - names: The names of inputs and outputs that are others in the file, by the latter.
  ///   - additional: Entries under keys that the format reserves; `nil` values are left out.
  package static func entries(
    _ description: ModelDescription, _ provenance: Provenance, _ scheme: MetadataScheme,
    omitting omitted: Set<MetadataScheme.Field> = [], names: [String: String] = [:],
    additional: [(key: String, value: String?)] = []
  ) -> [(key: String, value: String)] {
    var entries: [(key: String, value: String)] = []
    for field in MetadataScheme.Field.allCases where !omitted.contains(field) {
      guard let key = scheme.key(of: field), let string = string(field, description, provenance)
      else { continue }
      entries.append((key, string))
    }
    for feature in description.inputs where scheme.nativeFields.contains(.inputs) {
      guard let image = feature.image else { continue }
      entries.append((MetadataScheme.imagePrefix + feature.name, image.json.text()))
    }
    for (name, own) in names.sorted(by: { $0.key < $1.key }) {
      entries.append((MetadataScheme.namePrefix + name, own))
    }
    for (key, value) in additional {
      if let value { entries.append((key, value)) }
    }
    for (key, value) in description.userDefined.sorted(by: { $0.key < $1.key }) {
      entries.append((scheme.isTaken(key) ? MetadataScheme.userPrefix + key : key, value))
    }
    return entries
  }

  /// The string of a field; `nil` when nothing is known.
  private static func string(
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

  /// Applies the entries of a file to the description of its model, after the format's own fields.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when they do not fit the model;
  ///   ``WeighbridgeError/Code/mismatch`` instead if the model is not from the same file.
  package static func apply(
    _ entries: [(key: String, value: String)], _ scheme: MetadataScheme,
    to content: inout ModelContent
  ) throws(WeighbridgeError) {
    let parsed = try Members(entries, scheme)
    var members = parsed.members
    members["userDefined"] = .object(parsed.userDefined)
    let (inputs, outputs) = (content.graph.inputs, content.graph.outputs)
    try check(parsed, inputs: inputs, outputs: outputs)
    members["inputs"] =
      scheme.nativeFields.contains(.inputs)
      ? .array(features(inputs, parsed.names, parsed.images))
      : renaming(inputs, as: members["inputs"])
    members["outputs"] =
      scheme.limitsNames
      ? .array(features(outputs, parsed.names)) : renaming(outputs, as: members["outputs"])
    do throws(WeighbridgeError) {
      try content.apply(DescriptionEdit(metadata: .object(members)))
    } catch {
      guard scheme.includesNetwork else { throw error }
      throw .malformed("the metadata does not fit: \(error.reason)")
    }
    if scheme.includesNetwork, let source = parsed.source { content.provenance.restore(source) }
  }

  /// Describes a model by entries alone, without a model to check them against and without inputs
  /// and outputs.
  package static func description(
    _ entries: [(key: String, value: String)], _ scheme: MetadataScheme
  ) -> ModelDescription {
    var description = ModelDescription()
    guard let parsed = try? Members(entries, scheme) else { return description }
    let members = parsed.members
    description.name = members["name"]?.string
    description.author = members["author"]?.string
    description.license = members["license"]?.string.map { License(parsing: $0) }
    if let note = members["licenseNote"]?.string { description.license?.note = note }
    description.version = members["version"]?.string
    description.summary = members["description"]?.string
    description.labels = members["labels"]?.array?.compactMap(\.string) ?? []
    for key in parsed.userDefined.keys {
      description.userDefined[key] = parsed.userDefined[key]?.string
    }
    return description
  }

  /// Refuses an image for an input that the model does not have, and the name of such an input or
  /// output.
  private static func check(
    _ entries: Members, inputs: [Port], outputs: [Port]
  ) throws(WeighbridgeError) {
    let inputNames = inputs.map { entries.names[$0.name] ?? $0.name }
    for case .object(let image) in entries.images {
      guard let name = image["name"]?.string, !inputNames.contains(name) else { continue }
      throw .malformed("the metadata says how an image becomes \(name), which is no input")
    }
    let unknown = Set(entries.names.keys).subtracting((inputs + outputs).map(\.name))
    if let name = unknown.min() {
      throw .malformed("the metadata names \(name), which is neither an input nor an output")
    }
  }

  /// The features of ports that have other names in the file, or images.
  private static func features(
    _ ports: [Port], _ names: [String: String], _ images: [JSONValue] = []
  ) -> [JSONValue] {
    let renamed = ports.compactMap { port in
      names[port.name].map { own in
        var members = images.lazy.compactMap(\.object).first { $0["name"] == .string(own) } ?? [:]
        members["name"] = .string(own)
        members["source"] = .string(port.name)
        return JSONValue.object(members)
      }
    }
    let own = Set(renamed.compactMap { $0.object?["name"]?.string })
    return renamed + images.filter { !own.contains($0.object?["name"]?.string ?? "") }
  }

  /// The features; one whose name differs from that of the port at its position gets the port's
  /// name as its `source`.
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
  /// Restores the framework that the model was made with. (A file in that framework's own format
  /// states the version itself.)
  fileprivate mutating func restore(_ source: String) {
    let parts = source.split(separator: " ", maxSplits: 1).map(String.init)
    guard let name = parts.first, name != framework else { return }
    (framework, frameworkVersion) = (name, parts.count > 1 ? parts[1] : nil)
  }
}
