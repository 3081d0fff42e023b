import Bytes
import JSON

/// A layer as it stands in the JSON, before its calls are resolved.
struct KerasLayerDraft {
  let index: Int
  let name: String
  let className: String
  let registeredName: String?
  let config: JSONObject
  /// The list under `inbound_nodes`; `nil` in a Sequential.
  let nodes: JSONReader?

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
    ])
    className = try json.member("class_name").string()
    let config = try json.member("config")
    let ownName = try json.optional("name")?.string()
    let innerName = config.value.object == nil ? nil : try config.optional("name")?.string()
    if let ownName, let innerName, ownName != innerName {
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
    let registered = try json.optional("registered_name")
    registeredName = registered?.value == .null ? nil : try registered?.string()
    nodes = try json.optional("inbound_nodes")
  }

  /// A nested Sequential had no name before Keras 2.2.3; any unique one does.
  private static func defaultName(_ config: JSONReader, _ index: Int) -> String? {
    config.value.array == nil ? nil : "sequential_\(index + 1)"
  }
}
