package import Bytes
package import GraphIR
import JSON

extension KerasLayer {
  /// Adds the activation that the layer's setting `activation` names.
  ///
  /// - Parameters:
  ///   - role: The node's role; empty when the activation is all the layer does.
  /// - Returns: The activated value; `value` itself when the activation is linear and the layer
  ///   does something else besides.
  /// - Throws: ``WeighbridgeError/Code/unsupported`` for a function the catalogue does not know.
  package mutating func addActivation(
    to value: ValueID, role: String = "activation"
  ) throws(WeighbridgeError) -> [ValueID] {
    let name = try activationName(take("activation") ?? "linear")
    if name == "linear", !role.isEmpty { return [value] }
    guard let make = Catalog.kerasActivations[name] else {
      throw WeighbridgeError(.unsupported, "the activation function \(name) is unknown")
    }
    return try add(make(version, graph.type(of: value)), [value], role: role)
  }

  /// The name of an activation function of Keras, from a setting in one of the forms it has had.
  ///
  /// Up to Keras 2.12 it is the name. Keras 2.13 and later may write an object with `class_name`
  /// `function` and the name in `config`; other objects stand for layers or a user's functions.
  private func activationName(_ setting: JSONValue) throws(WeighbridgeError) -> String {
    if let name = setting.string { return name }
    guard let form = setting.object, let className = form["class_name"]?.string else {
      throw wrong("activation", setting, "the name of a function")
    }
    guard className == "function", let name = form["config"]?.string else {
      throw WeighbridgeError(
        .unsupported,
        "the activation is an object of the class \(className), and only functions are possible")
    }
    let module = form["module"]?.string ?? "builtins"
    let registered = form["registered_name"]?.string ?? "function"
    let modules = ["builtins", "keras.activations", "keras.src.activations"]
    guard modules.contains(module), [name, "function"].contains(registered) else {
      throw WeighbridgeError(
        .unsupported,
        "the activation \(name) is not Keras' own: it is \(registered) of the module \(module)")
    }
    return name
  }
}
