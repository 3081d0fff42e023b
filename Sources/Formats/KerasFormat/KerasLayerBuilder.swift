package import Bytes
import JSON

/// A layer as it stands in the JSON, before its calls are resolved.
struct KerasLayerBuilder {
  let index: Int
  let name: String
  let className: String
  let function: KerasFunctionName?
  let registeredName: String?
  let config: JSONObject
  /// `input_shape` of `build_config`, where that is one shape.
  let buildInputShape: JSONValue?
  /// The list under `inbound_nodes`; `nil` in a Sequential.
  let nodes: JSONReader?

  /// Whether its calls have the form of Keras 3: the arguments in an object.
  var hasArguments: Bool { nodes?.value.array?.first?.object != nil }
  var isModel: Bool { config["layers"]?.array != nil }
  var label: String { "#\(index) \(name) (\(className))" }

  /// Reads a layer.
  ///
  /// - Parameter fallbackName: The name of a layer that has none, where it is known.
  init(
    _ json: JSONReader, index: Int, fallbackName: String? = nil
  ) throws(WeighbridgeError) {
    try json.allow(only: [
      "class_name", "config", "name", "inbound_nodes", "module", "registered_name", "build_config",
      "compile_config",
    ])
    className = try json.member("class_name").string()
    let config = try json.member("config")
    let ownName = try json.optional("name")?.string()
    let innerName = config.value.object == nil ? nil : try config.optional("name")?.string()
    // TensorFlow 2.1 to 2.3 leave out the prefix of such a layer's name in its config.
    if let ownName, let innerName, ownName != innerName, className != "TensorFlowOpLayer" {
      throw json.failure("has the name \"\(ownName)\", and \"\(innerName)\" in its config")
    }
    guard let name = ownName ?? innerName ?? fallbackName ?? Self.defaultName(config, index) else {
      throw json.failure("(\(className)) has no name")
    }
    self.index = index
    self.name = name
    if config.value.array != nil {
      self.config = ["name": .string(name), "layers": config.value]
    } else {
      self.config = try config.object()
    }
    let module = try json.optional("module")?.value.string
    let registered = try json.optional("registered_name")
    // Keras registers a few classes of its own, such as those of its applications.
    let isOwn = module?.hasPrefix("keras.src.") == true
    registeredName =
      registered?.value == .null || isOwn ? nil : try registered?.string()
    let built = json.value.object?["build_config"]?.object?["input_shape"]
    let isShape = built?.array?.allSatisfy { $0 == .null || $0.integer != nil } == true
    buildInputShape = isShape ? built : nil
    nodes = try json.optional("inbound_nodes")
    function = KerasFunctionName(
      className: className, module: module, config: self.config,
      hasArguments: nodes?.value.array?.first?.object != nil)
  }

  /// A nested Sequential had no name before Keras 2.2.3; any unique one does.
  private static func defaultName(_ config: JSONReader, _ index: Int) -> String? {
    config.value.array == nil ? nil : "sequential_\(index + 1)"
  }

  /// The finished record, with calls whose references were checked.
  func record(_ calls: [KerasCall]) -> KerasLayerRecord {
    KerasLayerRecord(
      index: index, name: name, className: className, function: function,
      registeredName: registeredName, config: config, buildInputShape: buildInputShape,
      calls: calls)
  }
}

extension KerasLayerRecord {
  /// The layer or cell that stands under a key of the settings, such as `layer` of a wrapper; it
  /// has the outer layer's index and no calls. `nil` when the key is not there or is null.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when something else stands there;
  ///   ``WeighbridgeError/Code/unsupported`` for keys that are not known.
  package func inner(_ key: String) throws(WeighbridgeError) -> KerasLayerRecord? {
    guard let json = config[key], json != .null else { return nil }
    return try locating({ $0.at(layer: label) }) { () throws(WeighbridgeError) in
      try KerasLayerBuilder(
        JSONReader(json, place: "config.\(key)"), index: index, fallbackName: name
      ).record([])
    }
  }

  /// The layers or cells in the list under a key of the settings, such as `cells` of stacked cells;
  /// empty when the key is not there.
  ///
  /// - Throws: As ``inner(_:)``.
  package func innerList(_ key: String) throws(WeighbridgeError) -> [KerasLayerRecord] {
    guard let json = config[key] else { return [] }
    return try locating({ $0.at(layer: label) }) { () throws(WeighbridgeError) in
      var records: [KerasLayerRecord] = []
      for element in try JSONReader(json, place: "config.\(key)").elements() {
        records.append(
          try KerasLayerBuilder(element, index: index, fallbackName: name).record([]))
      }
      return records
    }
  }
}
