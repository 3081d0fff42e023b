package import Bytes
import JSON

/// A layer read from JSON, before its calls are resolved.
struct KerasLayerBuilder {
  /// The layer without its calls.
  let layer: KerasLayerRecord
  /// The list under `inbound_nodes`; `nil` in a Sequential.
  let nodes: JSONReader?

  /// Whether its calls have the form of Keras 3: the arguments in an object.
  var hasArguments: Bool { nodes.map(Self.hasArguments) ?? false }

  /// An object without these keys is a dictionary of inputs, as Keras 2 writes it.
  private static func hasArguments(_ nodes: JSONReader) -> Bool {
    let call = nodes.value.array?.first?.object
    return call?["args"] != nil || call?["kwargs"] != nil
  }

  /// Reads a layer.
  ///
  /// - Parameter fallbackName: The name for a layer that has none, where it is known.
  init(
    _ json: JSONReader, index: Int, fallbackName: String? = nil
  ) throws(WeighbridgeError) {
    try json.allow(only: [
      "class_name", "config", "name", "inbound_nodes", "module", "registered_name", "build_config",
      "compile_config",
      // A layer that a model shares with a model inside it; the file has its weights in both places.
      "shared_object_id",
    ])
    let className = try json.member("class_name").string()
    let config = try json.member("config")
    let ownName = try json.optional("name")?.string()
    let innerName = config.value.object == nil ? nil : try config.optional("name")?.string()
    // TensorFlow 2.1 to 2.3 omit the name's prefix in the config of such a layer.
    if let ownName, let innerName, ownName != innerName, className != "TensorFlowOpLayer" {
      throw json.failure("has the name \"\(ownName)\", but \"\(innerName)\" in its config")
    }
    guard let name = ownName ?? innerName ?? fallbackName ?? Self.defaultName(config, index) else {
      throw json.failure("(\(className)) has no name")
    }
    let settings =
      config.value.array == nil
      ? try config.object() : ["name": .string(name), "layers": config.value]
    let module = try json.optional("module")?.value.string
    let registered = try json.optional("registered_name")
    // Keras registers a few classes of its own, such as those of its applications.
    let isBuiltIn = module?.hasPrefix("keras.src.") == true
    let buildShape = json.value.object?["build_config"]?.object?["input_shape"]
    let isShape = buildShape?.array?.allSatisfy { $0 == .null || $0.integer != nil } == true
    nodes = try json.optional("inbound_nodes")
    layer = KerasLayerRecord(
      index: index, name: name, className: className,
      function: KerasFunctionName(
        className: className, module: module, config: settings,
        hasArguments: nodes.map(Self.hasArguments) ?? false),
      registeredName: registered?.value == .null || isBuiltIn ? nil : try registered?.string(),
      config: settings, buildInputShape: isShape ? buildShape : nil)
  }

  /// The name of a nested Sequential, which had none before Keras 2.2.3; any unique name will do.
  private static func defaultName(_ config: JSONReader, _ index: Int) -> String? {
    config.value.array == nil ? nil : "sequential_\(index + 1)"
  }

  /// The finished record, with calls whose references have been checked.
  func record(_ calls: [KerasCall]) -> KerasLayerRecord {
    var record = layer
    record.calls = calls
    return record
  }
}

extension KerasLayerRecord {
  /// The layer or cell under a key of the settings, such as `layer` of a wrapper; it has the outer
  /// layer's index and no calls. `nil` when the key is missing or null.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when the value is something else;
  ///   ``WeighbridgeError/Code/unsupported`` for unknown keys.
  package func inner(_ key: String) throws(WeighbridgeError) -> KerasLayerRecord? {
    guard let json = config[key], json != .null else { return nil }
    return try locating({ $0.at(layer: label) }) { () throws(WeighbridgeError) in
      try KerasLayerBuilder(
        JSONReader(json, place: "config.\(key)"), index: index, fallbackName: name
      ).layer
    }
  }

  /// The layers or cells in the list under a key of the settings, such as `cells` of stacked cells;
  /// empty when the key is missing.
  ///
  /// - Throws: As ``inner(_:)``.
  package func innerList(_ key: String) throws(WeighbridgeError) -> [KerasLayerRecord] {
    guard let json = config[key] else { return [] }
    return try locating({ $0.at(layer: label) }) { () throws(WeighbridgeError) in
      try JSONReader(json, place: "config.\(key)").elements().map {
        (element) throws(WeighbridgeError) in
        try KerasLayerBuilder(element, index: index, fallbackName: name).layer
      }
    }
  }
}
