import Bytes
import GraphIR
import JSON
import LayerCatalog

extension KerasLayer {
  /// Adds the activation that the layer's setting `activation` names.
  ///
  /// - Parameter role: The node's role; empty when the layer does nothing else.
  /// - Returns: The activated value; `value` itself when the activation is linear and the layer
  ///   does something else too.
  /// - Throws: ``WeighbridgeError/Code/unsupported`` for a function that the catalog does not have.
  mutating func addActivation(
    to value: ValueID, role: String = "activation"
  ) throws(WeighbridgeError) -> [ValueID] {
    let setting = take("activation") ?? "linear"
    if let inner = try activationLayer(setting) {
      return try addInner(inner.settings, [value], role: role, build: inner.build)
    }
    let name = try activationName(setting)
    if name == "linear", !role.isEmpty { return [value] }
    if let build = functions[name] {
      return try addStep(role, settings: [:]) { (layer) throws(WeighbridgeError) in
        try build(&layer, [value])
      }
    }
    guard let operation = try function(named: name, for: graph.type(of: value)) else {
      throw .unsupported(
        "the activation function \(name) is unknown (\(APIName.customLayers) can say what it is)")
    }
    return try addActivation(operation, of: value, role: role)
  }

  /// The operator of Keras' or a well-known function; `nil` for another name.
  private mutating func function(
    named name: String, for type: TensorType
  ) throws(WeighbridgeError) -> (any CatalogOperator)? {
    if let make = KerasMappings.activations[name] { return try make(version, type) }
    guard let (make, origin) = WellKnownLayers.activations[name] else { return nil }
    let operation = try make(version, type)
    decideOnce("the activation \(name) is read as \(origin): the operator \(operation.kind)")
    return operation
  }

  /// The layer that a setting contains in place of a function; `nil` when it is not a layer.
  private func activationLayer(
    _ setting: JSONValue
  ) throws(WeighbridgeError) -> (settings: JSONObject, build: KerasMapping.Build)? {
    let layers = [
      "Activation", "ELU", "LeakyReLU", "PReLU", "ReLU", "Softmax", "ThresholdedReLU",
    ]
    guard let form = setting.object, let className = form["class_name"]?.string,
      layers.contains(className), let build = KerasMappings.layers[className],
      let settings = form["config"]?.object
    else { return nil }
    let registered = form["registered_name"] ?? .null
    let module = form["module"]?.string ?? "keras.layers"
    guard registered == .null || registered == .string(className),
      module == "keras.layers" || module.hasPrefix("keras.src.layers.")
    else {
      throw .unsupported(
        "the activation \(className) is not Keras' own: it is of the module \(module)")
    }
    return (settings, build)
  }

  /// The operator of the activation function that a setting names.
  ///
  /// - Parameter type: The type that it is applied to.
  /// - Throws: ``WeighbridgeError/Code/unsupported`` for a function that the catalog does not have,
  ///   and for a layer with weights; ``WeighbridgeError/Code/malformed`` when the setting is
  ///   missing.
  mutating func activation(
    _ key: String, default fallback: JSONValue?, for type: TensorType
  ) throws(WeighbridgeError) -> any CatalogOperator {
    guard let setting = take(key) ?? fallback else {
      throw .malformed("the setting \(key) is missing")
    }
    if let inner = try activationLayer(setting) {
      guard setting.object?["class_name"] != "PReLU" else {
        throw .unsupported("\(key)=PReLU has weights, which is not supported inside a cell")
      }
      return try operation(of: inner, named: key, for: type)
    }
    let name = try activationName(setting)
    guard let operation = try function(named: name, for: type) else {
      throw .unsupported("the activation function \(name) is unknown")
    }
    return operation
  }

  /// The single operator to which a layer in place of a function is converted.
  private func operation(
    of inner: (settings: JSONObject, build: KerasMapping.Build), named key: String,
    for type: TensorType
  ) throws(WeighbridgeError) -> any CatalogOperator {
    var layer = KerasLayer(
      source: source, writer: writer,
      settings: try KerasTypePolicy.separate(inner.settings).settings, weights: .file([]),
      weightValues: [:], network: KerasNetwork())
    let input = try layer.network.graph.addInput("input", type)
    let output = try inner.build(&layer, [input])[0]
    try layer.finish()
    let graph = try layer.graph.finish(outputs: [Port(name: "output", value: output)])
    guard graph.nodes.count == 1,
      let operation = graph.nodes[0].operation as? any CatalogOperator
    else {
      throw .unsupported(
        "\(key) is a layer that becomes \(graph.nodes.count) operators, "
          + "and must become one")
    }
    return operation
  }

  /// The name of an activation function of Keras, from a setting in any form that Keras has
  /// written.
  ///
  /// Up to Keras 2.12 it is the name. Keras 2.13 and later may write an object with `class_name`
  /// `function` and the name in `config`; other objects are custom functions.
  private func activationName(_ setting: JSONValue) throws(WeighbridgeError) -> String {
    if let name = setting.string { return name }
    guard let form = setting.object, let className = form["class_name"]?.string else {
      throw unexpected("activation", setting, "the name of a function")
    }
    guard className == "function", let name = form["config"]?.string else {
      throw .unsupported(
        "the activation is an object of the class \(className), and only functions and"
          + " activation layers are possible")
    }
    if functions[name] != nil { return name }
    let module = form["module"]?.string ?? "builtins"
    let registered = form["registered_name"]?.string ?? "function"
    let modules = ["builtins", "keras.activations", "keras.src.activations"]
    guard modules.contains(module), [name, "function"].contains(registered) else {
      throw .unsupported(
        "the activation \(name) is not Keras' own: it is \(registered) of the module \(module)")
    }
    return name
  }
}
