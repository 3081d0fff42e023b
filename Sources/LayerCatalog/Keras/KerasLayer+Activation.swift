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
    let setting = take("activation") ?? "linear"
    guard let name = setting.string else {
      throw wrong("activation", setting, "the name of a function")
    }
    if name == "linear", !role.isEmpty { return [value] }
    guard let make = Catalog.kerasActivations[name] else {
      throw WeighbridgeError(.unsupported, "the activation function \(name) is unknown")
    }
    return try add(make(version), [value], role: role)
  }
}
