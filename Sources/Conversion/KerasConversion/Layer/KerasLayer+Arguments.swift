package import Bytes
package import GraphIR
package import JSON
package import KerasFormat

extension KerasLayer {
  /// What a call of a layer was given besides its inputs. Arguments are crossed off as they are
  /// read.
  package struct CallArguments: Sendable {
    /// Tensors, by the argument's name; in Keras 3 positional ones are `args[1]`, `args[2]`, ...
    package var tensors: [(name: String, values: [ValueID])]
    /// Plain values.
    package var plain: JSONObject

    /// The arguments of a call.
    package init(tensors: [(name: String, values: [ValueID])] = [], plain: JSONObject = [:]) {
      self.tensors = tensors
      self.plain = plain
    }

    /// Refuses what nobody took, unless it changes nothing when the model runs. `training` is of
    /// that kind in Keras 3, where the model's own mode takes its place in every call.
    package func checkRest(_ version: KerasVersion) throws(WeighbridgeError) {
      if let argument = tensors.first {
        throw .unsupported("is called with a tensor as \(argument.name)")
      }
      for key in plain.keys {
        let value = plain[key] ?? .null
        let isPlain =
          Self.isEmpty(value) || (key == "training" && value == .bool(false))
          || (key == "training" && version.major >= 3 && value.bool != nil)
        guard isPlain else { throw .unsupported("is called with \(key)=\(value.text())") }
      }
    }

    /// Nothing, or a list of nothing such as the masks of several inputs without masks.
    private static func isEmpty(_ value: JSONValue) -> Bool {
      value == .null || value.array?.allSatisfy { $0 == .null } == true
    }
  }

  /// Takes the tensors of an argument of the call, and so crosses it off; empty when it is absent.
  ///
  /// - Parameter position: Where it stands among the positional arguments, of which the input is 0.
  package mutating func takeTensors(_ name: String, position: Int? = nil) -> [ValueID] {
    let names = [name] + (position.map { ["args[\($0)]"] } ?? [])
    guard let index = arguments.tensors.firstIndex(where: { names.contains($0.name) }) else {
      return []
    }
    return arguments.tensors.remove(at: index).values
  }

  /// Takes an argument of the call that is no tensor, and so crosses it off; `nil` when it is absent
  /// or null.
  package mutating func takeArgument(_ name: String, position: Int? = nil) -> JSONValue? {
    let names = [name] + (position.map { ["args[\($0)]"] } ?? [])
    for name in names {
      guard let value = arguments.plain[name] else { continue }
      arguments.plain[name] = nil
      if value != .null { return value }
    }
    return nil
  }

  /// The mask that travels beside a value: booleans that say which steps count, usually
  /// `[batch, time]`. `nil` when all do.
  package func mask(of value: ValueID) -> ValueID? { network.masks[value] }

  /// Lets a mask travel beside an output of this layer.
  package mutating func setMask(_ mask: ValueID?, of output: ValueID) {
    network.masks[output] = mask
  }

  /// Lets the input's mask, if there is one, travel on beside the outputs, as a layer of Keras that
  /// `supports_masking` does.
  package mutating func keepMask(from input: ValueID, to outputs: [ValueID]) {
    guard let mask = network.masks[input] else { return }
    for output in outputs { network.masks[output] = mask }
  }
}
