import Bytes
import JSON
import KerasFormat
import LayerCatalog

/// Layers of which nothing is known, as one error that says how to map them.
struct UnknownLayers {
  let layers: [(record: KerasLayerRecord, path: String)]
  /// The weights of the file's layers, when they can be told.
  let weights: [KerasWeightGroup]
  /// Entries of the user's file that are about no layer.
  let idleEntries: [String]
  /// The user's file; empty when there is none.
  let file: String
  /// What is known of layers from elsewhere than their settings, by their paths.
  var remarks: [String: Remark] = [:]

  /// How many layers are described; of the others there are only the names.
  private static let describedCount = 20
  /// How much of a setting is shown.
  private static let textLimit = 60

  var error: WeighbridgeError {
    let count = layers.count == 1 ? "a layer" : "\(layers.count) layers"
    var lines = ["\(count) of a class that is not supported:"]
    let shapes = Dictionary(
      weights.map { ($0.layerName, $0.weights) }, uniquingKeysWith: { first, _ in first })
    for (record, path) in layers.prefix(Self.describedCount) {
      let parts = [Self.line(record, path, shapes[path + record.name])]
      lines.append("  " + (parts + remarkParts(path + record.name)).joined(separator: ", "))
    }
    if layers.count > Self.describedCount {
      let others = layers.dropFirst(Self.describedCount).map { $0.path + $0.record.name }
      lines.append("  and " + others.joined(separator: ", "))
    }
    if !idleEntries.isEmpty {
      lines.append("About no layer in \(file): " + idleEntries.joined(separator: ", "))
    }
    let described = layers.prefix(Self.describedCount).map { $0.path + $0.record.name }
    if described.contains(where: { remarks[$0]?.proposal == nil }) {
      lines.append(
        "Say what each computes in a file for --custom-layers, with a layer of Keras (class_name and "
          + "config) or operators in place of the dots; --keep-unknown keeps them, and the model then "
          + "cannot run:")
    }
    if let line = proposalLine(described) { lines.append(line) }
    lines.append(template(shapes).text(indented: true))
    return WeighbridgeError(.unsupported, lines.joined(separator: "\n"))
  }

  private static func line(
    _ record: KerasLayerRecord, _ path: String, _ weights: [KerasWeight]?
  ) -> String {
    var parts = [KerasImporter.label(record, path)]
    if let name = record.registeredName { parts[0] += ", registered as \(name)" }
    if let reason = Catalog.kerasRefusals[record.className] { parts.append(reason) }
    if let reason = record.function.flatMap(KerasFunction.refusal) { parts.append(reason) }
    if record.className == "Lambda" {
      parts.append(record.lambdaFunction.map { "function \($0)" } ?? "a function without a name")
    }
    for key in settingKeys(record) {
      let text = record.config[key]?.text() ?? ""
      let shown = text.count > textLimit ? "\(text.prefix(textLimit))..." : text
      parts.append("\(key)=\(shown)")
    }
    if let weights, !weights.isEmpty {
      let list = weights.map { "\(KerasLayer.shortName($0.path)) \($0.shape)" }
      parts.append("weights " + list.joined(separator: ", "))
    }
    return parts.joined(separator: ", ")
  }

  /// The settings that say something of what the layer computes.
  private static func settingKeys(_ record: KerasLayerRecord) -> [String] {
    var others = ["name", "trainable", "dtype", "batch_input_shape"]
    if record.className == "Lambda" { others += ["function", "function_type", "module"] }
    return record.config.keys.filter {
      !others.contains($0) && record.config[$0] != .null && record.config[$0] != .object([:])
    }
  }

  /// A weight's name, with a pattern for the layer's name at its start.
  private static func pattern(_ path: String, _ record: KerasLayerRecord) -> String {
    let name = KerasLayer.shortName(path)
    return name.hasPrefix("\(record.name)_") ? "*" + name.dropFirst(record.name.count) : name
  }

  /// A file that maps every class, and every Lambda by its name, to nothing yet.
  private func template(_ shapes: [String: [KerasWeight]]) -> JSONValue {
    var byName = JSONObject()
    var byClass = JSONObject()
    for (record, path) in layers.prefix(Self.describedCount) {
      let isLambda = record.className == "Lambda"
      if !isLambda, byClass[record.registeredName ?? record.className] != nil { continue }
      var entry: JSONObject = ["class_name": "..."]
      var config = JSONObject()
      if !isLambda {
        for key in Self.settingKeys(record) { config[key] = .string("$settings.\(key)") }
      }
      entry["config"] = .object(config)
      if let remark = remarks[path + record.name] { remark.complete(&entry) }
      if let weights = shapes[path + record.name], !weights.isEmpty {
        entry["weights"] = .array(
          weights.map { .string(Self.pattern($0.path, record)) })
      }
      if isLambda {
        byName[path + record.name] = .object(entry)
      } else {
        byClass[record.registeredName ?? record.className] = .object(entry)
      }
    }
    var members = JSONObject()
    if !byName.keys.isEmpty { members["layers"] = .object(byName) }
    if !byClass.keys.isEmpty { members["classes"] = .object(byClass) }
    return .object(members)
  }
}
