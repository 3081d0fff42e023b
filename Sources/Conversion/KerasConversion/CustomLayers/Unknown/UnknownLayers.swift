package import Bytes
import GraphIR
import JSON
package import KerasFormat
import LayerCatalog

/// Unknown layers, reported as one error that explains how to map them.
package struct UnknownLayers {
  package let layers: [(record: KerasLayerRecord, path: String)]
  /// The weights of the file's layers, when they are known.
  package let weights: [KerasWeightGroup]
  /// Entries of the user's file that match no layer.
  package let unusedEntries: [String]
  /// The user's file; empty when there is none.
  package let file: String
  /// What the layers before them reveal about them.
  package var survey = LayerSurvey()
  /// What is known about layers from other sources than their settings, by path.
  package var remarks: [String: Remark] = [:]

  /// Collects the contents of an error about unknown layers.
  package init(
    layers: [(record: KerasLayerRecord, path: String)], weights: [KerasWeightGroup],
    unusedEntries: [String], file: String, survey: LayerSurvey = LayerSurvey(),
    remarks: [String: Remark] = [:]
  ) {
    self.layers = layers
    self.weights = weights
    self.unusedEntries = unusedEntries
    self.file = file
    self.survey = survey
    self.remarks = remarks
    addRemarks()
  }

  /// The number of layers that are described; the others are only named.
  static let describedCount = 20
  /// The number of characters of a setting that are shown.
  private static let textLimit = 60

  package var error: WeighbridgeError {
    let count = layers.count == 1 ? "a layer" : "\(layers.count) layers"
    var lines = ["\(count) of a class that is not supported:"]
    let shapes = Dictionary(
      weights.map { ($0.layerName, $0.weights) }, uniquingKeysWith: { first, _ in first })
    let readings = readings
    for (record, path) in layers.prefix(Self.describedCount) {
      var parts = [line(record, path, shapes[path + record.name])]
      parts += remarkParts(path + record.name)
      if case .failure(let refusal) = readings[path + record.name] {
        parts.append("for which nothing is proposed, because it \(refusal.reason)")
      }
      lines.append("  " + parts.joined(separator: ", "))
    }
    if layers.count > Self.describedCount {
      let others = layers.dropFirst(Self.describedCount).map { $0.path + $0.record.name }
      lines.append("  and " + others.joined(separator: ", "))
    }
    if !unusedEntries.isEmpty {
      lines.append("No layer matches, in \(file): " + unusedEntries.joined(separator: ", "))
    }
    let proposals = readings.compactMapValues { try? $0.get() }
    lines += advice(proposals)
    lines.append(template(shapes, proposals).text(indented: true))
    return .unsupported(lines.joined(separator: "\n"))
  }

  /// The instructions for the file that is shown after them.
  private func advice(_ proposals: [String: LambdaProposal]) -> [String] {
    var lines: [String] = []
    let described = layers.prefix(Self.describedCount).map { $0.path + $0.record.name }
    for name in described {
      for note in proposals[name]?.notes ?? [] { lines.append("  \(name): \(note)") }
    }
    let proposed = described.filter { proposals[$0] != nil }
    if described.contains(where: { proposals[$0] == nil && remarks[$0]?.proposal == nil }) {
      lines.append(
        "Say what each computes in a file for \(APIName.customLayers), with a layer of Keras (class_name and "
          + "config) or operators in place of the dots; \(APIName.keepUnknown) keeps them, and the model then "
          + "cannot run:")
    }
    if let line = proposalLine(described) { lines.append(line) }
    guard !proposed.isEmpty else { return lines }
    let what = proposed.count == 1 ? "its stored code" : "their stored code"
    lines.append(
      "Proposed for \(proposed.joined(separator: ", ")) from \(what), which was read and not run. Check it, "
        + "save it as custom.json and add \(APIName.customLayers) custom.json:")
    return lines
  }

  private func line(
    _ record: KerasLayerRecord, _ path: String, _ weights: [KerasWeight]?
  ) -> String {
    var parts = [KerasImporter.label(record, path)]
    if let name = record.registeredName { parts[0] += ", registered as \(name)" }
    if let reason = Catalog.kerasRefusals[record.className] { parts.append(reason) }
    if let reason = record.function.flatMap(KerasFunction.refusal) { parts.append(reason) }
    parts += types(of: path + record.name)
    if record.className == "Lambda" { parts += Self.function(of: record) }
    for key in Self.settingKeys(record) {
      let text = record.config[key]?.text() ?? ""
      let shown = text.count > Self.textLimit ? "\(text.prefix(Self.textLimit))..." : text
      parts.append("\(key)=\(shown)")
    }
    if let weights, !weights.isEmpty {
      let list = weights.map { "\($0.localName) \($0.shape)" }
      parts.append("weights " + list.joined(separator: ", "))
    }
    return parts.joined(separator: ", ")
  }

  /// The types of a layer's inputs and outputs, as far as they are known.
  private func types(of name: String) -> [String] {
    var parts: [String] = []
    if let inputs = survey.inputs[name], !inputs.isEmpty {
      parts.append("takes " + inputs.map(\.description).joined(separator: " and "))
    }
    if let outputs = survey.outputs[name], !outputs.isEmpty {
      let types = outputs.sorted { $0.key < $1.key }.map { _, type in
        "\(type.dtype) \(type.shape.map { $0.map(Dimension.fixed) ?? .unknown })"
      }
      parts.append("makes " + types.joined(separator: " and "))
    }
    return parts
  }

  /// The function that a `Lambda` calls: its name, or what is known about its compiled code.
  private static func function(of record: KerasLayerRecord) -> [String] {
    if let name = record.lambdaFunction { return ["function \(PythonValue.printable(name))"] }
    let stored: KerasLambdaCode?
    do throws(WeighbridgeError) { stored = try KerasLambdaCode(of: record) } catch {
      return ["a function whose stored code cannot be read (it \(error.reason))"]
    }
    guard let code = stored?.code else { return ["a function without a name"] }
    let isAnonymous = code.name == "<lambda>"
    let title =
      isAnonymous ? "a function without a name" : "function \(PythonValue.printable(code.name))"
    if let expression = code.expression {
      let arguments = code.variables.prefix(code.argumentCount)
      let text = expression.text(Array(arguments))
      if text.count <= 2 * textLimit { return ["\(title): \(text)"] }
    }
    var parts = [title]
    let constants = code.constants.filter { $0 != .none }.map { $0.text() }
    if !constants.isEmpty { parts.append("constants \(list(constants))") }
    if !code.names.isEmpty { parts.append("names \(list(code.names.map(PythonValue.printable)))") }
    return parts
  }

  /// The first strings of a list.
  private static func list(_ strings: [String]) -> String {
    let more = strings.count > 16 ? " and \((strings.count - 16).counted("other"))" : ""
    return strings.prefix(16).map { String($0.prefix(textLimit)) }.joined(separator: " ") + more
  }

  /// The settings that affect what the layer computes.
  static func settingKeys(_ record: KerasLayerRecord) -> [String] {
    var others = ["name", "trainable", "dtype", "batch_input_shape"]
    if record.className == "Lambda" {
      others += ["function", "function_type", "module", "output_shape_type"]
    }
    return record.config.keys.filter {
      !others.contains($0) && record.config[$0] != .null && record.config[$0] != .object([:])
    }
  }

  /// A weight's name, with a pattern for the layer's name at its start.
  private static func pattern(_ name: String, _ record: KerasLayerRecord) -> String {
    name.hasPrefix("\(record.name)_") ? "*" + name.dropFirst(record.name.count) : name
  }

  /// A file with an entry to fill in for every class, and for every Lambda by its name.
  private func template(
    _ shapes: [String: [KerasWeight]], _ proposals: [String: LambdaProposal]
  ) -> JSONValue {
    var byName = JSONObject()
    var byClass = JSONObject()
    for (record, path) in layers.prefix(Self.describedCount) {
      let isLambda = record.className == "Lambda"
      if let proposal = proposals[path + record.name] {
        byName[path + record.name] = proposal.mapping
        continue
      }
      if !isLambda, byClass[record.registeredName ?? record.className] != nil { continue }
      if let entry = Self.wrapped(record) ?? Self.composite(record, shapes[path + record.name]) {
        byClass[record.registeredName ?? record.className] = .object(entry)
        continue
      }
      var entry: JSONObject = ["class_name": "..."]
      var config = JSONObject()
      if !isLambda {
        for key in Self.settingKeys(record) { config[key] = .string("$settings.\(key)") }
      }
      entry["config"] = .object(config)
      if let remark = remarks[path + record.name] { remark.complete(&entry) }
      if let weights = shapes[path + record.name], !weights.isEmpty {
        entry["weights"] = .array(
          weights.map { .string(Self.pattern($0.localName, record)) })
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

  /// The entry that maps a wrapper to the layer that it wraps.
  private static func wrapped(_ record: KerasLayerRecord) -> JSONObject? {
    guard let inner = record.config["layer"]?.object, inner["class_name"]?.string != nil,
      inner["config"]?.object != nil
    else { return nil }
    let others = settingKeys(record).filter { $0 != "layer" }
    let step: JSONObject = ["layer": "$settings.layer"]
    return others.isEmpty
      ? step
      : ["steps": .array([.object(step)]), "ignore": .array(others.map { .string($0) })]
  }

  /// The entry that maps a layer with sub-layers: a step for each, with its own weights.
  private static func composite(
    _ record: KerasLayerRecord, _ weights: [KerasWeight]?
  ) -> JSONObject? {
    let names = weights?.map(\.localName) ?? []
    guard names.contains(where: { !$0.hasPrefix("vars/") && $0.contains("/vars/") }) else {
      return nil
    }
    var steps: [JSONValue] = []
    var seen: Set<String> = []
    for name in names {
      let sublayer = sublayer(of: name)
      guard seen.insert(sublayer).inserted else { continue }
      let own: JSONObject =
        sublayer.isEmpty
        ? ["class_name": "...", "inputs": ["...", .string("$weights.\(name)")]]
        : ["class_name": "...", "config": .object([:]), "sublayer": .string(sublayer)]
      steps.append(.object(own))
    }
    return ["steps": .array(steps), "ignore": .array(settingKeys(record).map { .string($0) })]
  }

  /// The path of the sub-layer that a weight belongs to: an attribute, or an element of a list.
  private static func sublayer(of name: String) -> String {
    let parts = name.split(separator: "/")
    let list = parts.firstIndex { $0 == "layers" || $0 == "cells" }
    let count = list.map { $0 + 2 } ?? 1
    return parts[0] == "vars" ? "" : parts.prefix(count).joined(separator: "/")
  }
}
