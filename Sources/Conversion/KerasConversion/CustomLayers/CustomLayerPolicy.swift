package import Bytes
package import ConversionCore
import GraphIR
import JSON
package import KerasFormat
import LayerCatalog

/// How custom layers are handled.
package struct CustomLayerPolicy: Sendable {
  /// The builders of Keras' own layers, by class name.
  package var ownLayers = KerasMappings.layers
  /// What the user says about custom layers.
  package var layers = CustomLayers()
  /// Whether unknown layers are kept as they are.
  package var keepsUnknown = false

  /// Creates a policy without mappings, in which unknown layers are errors by default.
  package init(keepsUnknown: Bool = false) { self.keepsUnknown = keepsUnknown }

  /// Creates the policy of a user's options, and opens the file that they name, if any.
  package static func opened(
    _ options: ReadOptions
  ) throws(WeighbridgeError) -> (policy: CustomLayerPolicy, file: SourceFile?) {
    var policy = CustomLayerPolicy(keepsUnknown: options.keepUnknown)
    guard let path = options.customLayers else { return (policy, nil) }
    let store = ByteStore(try MappedFile(path: path))
    policy.layers = try CustomLayers(contentsOf: store, path: path)
    let file = SourceFile(
      role: "custom-layers", path: path, store: store, startsDigest: options.preparesWriting)
    return (policy, file)
  }

  /// The options as the provenance records them.
  package var options: [String: String] {
    var options: [String: String] = [:]
    if let path = layers.path {
      options["custom-layers"] = String(path.split(separator: "/").last ?? "")
    }
    if keepsUnknown { options["keep-unknown"] = "true" }
    return options
  }

  /// The builder of a layer.
  package enum Builder: Sendable {
    /// The catalog, for a layer of Keras or a well-known one.
    case catalog(KerasMapping.Build)
    /// The catalog, for a function that the model uses without a layer.
    case function(KerasFunctionName)
    /// An entry of the user's file.
    case entry(CustomLayers.Entry)
    /// None: the layer is kept as it is.
    case kept
  }

  /// The builder of a layer; `nil` when there is none.
  private func knownBuilder(
    of layer: KerasLayerRecord, path: String
  ) throws(WeighbridgeError) -> Builder? {
    // Only custom classes are registered, and one may have the same name as one of Keras' own.
    let isLayer = layer.registeredName == nil && layer.function == nil
    let ownBuild = isLayer ? ownLayers[layer.className] : nil
    let function = layer.function.flatMap { KerasFunction.isKnown($0) ? $0 : nil }
    // A pattern may match more than intended, so Keras' own layers are mapped only by name.
    if let entry = try layers.entry(
      for: layer, path: path, onlyExact: ownBuild != nil || function != nil)
    {
      return .entry(entry)
    }
    if let ownBuild { return .catalog(ownBuild) }
    if let function { return .function(function) }
    if layer.className == "Lambda",
      let build = WellKnownLayers.functions[layer.lambdaFunction ?? layer.name]
    {
      return .catalog(build)
    }
    return layer.wellKnownBuild.map { .catalog($0) }
  }

  /// The builder of a layer.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` when there is none.
  package func builder(
    of layer: KerasLayerRecord, path: String
  ) throws(WeighbridgeError) -> Builder {
    if let builder = try knownBuilder(of: layer, path: path) { return builder }
    guard keepsUnknown else { throw .unsupported("is of a class that is not supported") }
    return .kept
  }

  /// The builders of the functions that the user mapped, for layers that use them as activation.
  package var functions: [String: KerasMapping.Build] {
    var result: [String: KerasMapping.Build] = [:]
    for entry in layers.functions.entries where entry.pattern.isExact {
      result[entry.pattern.text] = entry.function
    }
    return result
  }

  /// Refuses a model with unknown layers, all of them in one error.
  ///
  /// - Parameters:
  ///   - dialect: Converts the layers of a Keras 1 model to those of Keras 2.
  ///   - weights: The weights of the file, when they are known.
  ///   - surveyed: What can be inferred about unknown layers.
  /// - Returns: Remarks on the user's class and function entries that match nothing in the model,
  ///   which is allowed.
  /// - Throws: ``WeighbridgeError/Code/unsupported`` for unknown layers;
  ///   ``WeighbridgeError/Code/mismatch`` for an entry about a layer that the model does not have.
  func check(
    _ model: KerasModelRecord, _ dialect: Keras1Dialect?, weights: () -> [KerasWeightGroup]?,
    surveyed: () -> LayerSurvey
  ) throws(WeighbridgeError) -> [Provenance.Decision] {
    var survey = Survey(dialect: dialect)
    try survey.add(model, path: "", self)
    let unusedEntries = layers.layers.entries.filter { entry in
      !survey.used.contains(entry.place)
        && !survey.unknownToCatalog.contains { entry.fits($0.record.name, path: $0.path) }
    }.map(\.place)
    let file = layers.path ?? ""
    if !survey.unknown.isEmpty, !keepsUnknown {
      throw UnknownLayers(
        layers: survey.unknown, weights: weights() ?? [], unusedEntries: unusedEntries, file: file,
        survey: surveyed()
      ).error
    }
    if let place = unusedEntries.first {
      throw .mismatch("\(place) matches no mapped layer of the model").at(file: file)
    }
    let others = layers.classes.entries + layers.functions.entries
    return others.map(\.place).filter { !survey.used.contains($0) }.map {
      Provenance.Decision(
        layer: "", text: "\($0) of the custom layers matches nothing in the model")
    }
  }

  /// The layers of a model, including nested models.
  private struct Survey {
    let dialect: Keras1Dialect?
    /// Unknown layers, with the prefix of their names.
    var unknown: [(record: KerasLayerRecord, path: String)] = []
    /// The locations of the entries that match something.
    var used: Set<String> = []
    /// Layers that are not in the catalog, whatever the user says about them.
    var unknownToCatalog: [(record: KerasLayerRecord, path: String)] = []

    mutating func add(
      _ model: KerasModelRecord, path: String, _ policy: CustomLayerPolicy
    ) throws(WeighbridgeError) {
      let needed = Set(model.neededCalls.map(\.layer))
      for layer in model.layers where layer.className != "InputLayer" {
        let isNeeded = needed.contains(layer.index)
        if let inner = try KerasImporter.innerModel(layer) {
          try add(inner, path: "\(path)\(layer.name)/", policy)
          continue
        }
        let builder = try locating({ $0.at(layer: KerasImporter.label(layer, path)) }) {
          () throws(WeighbridgeError) in
          try policy.knownBuilder(of: try dialect?.form(of: layer).record ?? layer, path: path)
        }
        if case .entry(let entry) = builder {
          used.insert(entry.place)
          unknownToCatalog.append((layer, path))
        }
        if builder == nil, isNeeded { unknown.append((layer, path)) }
        addFunctions(of: layer, policy)
      }
    }

    /// Marks the functions that a layer names.
    private mutating func addFunctions(of layer: KerasLayerRecord, _ policy: CustomLayerPolicy) {
      let functions = policy.layers.functions.entries
      guard !functions.isEmpty else { return }
      let names = layer.config.keys.compactMap { key -> String? in
        let value = layer.config[key]
        return value?.string ?? value?.object?["config"]?.string
      }
      for entry in functions where names.contains(entry.pattern.text) { used.insert(entry.place) }
    }
  }
}

extension KerasLayerRecord {
  /// The builder of a well-known custom layer. Keras writes the package `Custom` where the author
  /// named none.
  fileprivate var wellKnownBuild: KerasMapping.Build? {
    let written = registeredName ?? className
    let name = written.hasPrefix("Custom>") ? String(written.dropFirst("Custom>".count)) : written
    return WellKnownLayers.layers[name]
  }
}
