package import Bytes
package import GraphIR
package import JSON
package import KerasFormat

extension KerasLayer {
  /// The arguments of a call other than its inputs. Reading an argument consumes it.
  package struct CallArguments: Sendable {
    /// Tensors, by the argument's name; in Keras 3 positional ones are `args[1]`, `args[2]`, ...
    package var tensors: [(name: String, values: [ValueID])]
    /// Plain values.
    package var plain: JSONObject

    /// Creates the arguments of a call.
    package init(tensors: [(name: String, values: [ValueID])] = [], plain: JSONObject = [:]) {
      self.tensors = tensors
      self.plain = plain
    }

    /// Consumes and returns the tensors of some arguments.
    mutating func takeTensors(
      where matches: (String) -> Bool
    ) -> [(name: String, values: [ValueID])] {
      defer { tensors.removeAll { matches($0.name) } }
      return tensors.filter { matches($0.name) }
    }

    /// Refuses arguments that were not read, unless they have no effect at inference. `training`
    /// has none in Keras 3, where the model's own mode overrides it in every call.
    package func checkUnread(_ version: KerasVersion) throws(WeighbridgeError) {
      if let argument = tensors.first {
        throw .unsupported(
          "is called with a tensor as \(argument.name), which the "
            + "layer does not take")
      }
      for key in plain.keys {
        let value = plain[key] ?? .null
        let hasNoEffect =
          Self.isEmpty(value) || (key == "training" && value == .bool(false))
          || (key == "training" && version.major >= 3 && value.bool != nil)
        guard !hasNoEffect else { continue }
        if value.array != nil {
          let text = value.text()
          throw .unsupported(
            "is called with a constant as \(key), \(text.prefix(40))\(text.count > 40 ? "..." : ""), and "
              + "only an output of another layer can be given there")
        }
        throw .unsupported("is called with \(key)=\(value.text()), which cannot be converted")
      }
    }

    /// Whether a value is null, or a list or dictionary of nulls such as the masks of several inputs
    /// without masks.
    private static func isEmpty(_ value: JSONValue) -> Bool {
      let object = value.object
      return value == .null || value.array?.allSatisfy { $0 == .null } == true
        || object?.keys.allSatisfy { object?[$0] == .null } == true
    }
  }

  /// Consumes an argument of the call and returns its tensors; empty when it is absent.
  ///
  /// - Parameter position: Its index among the positional arguments, where the input is 0.
  package mutating func takeTensors(_ name: String, position: Int? = nil) -> [ValueID] {
    let names = [name] + (position.map { ["args[\($0)]"] } ?? [])
    guard let index = arguments.tensors.firstIndex(where: { names.contains($0.name) }) else {
      return []
    }
    return arguments.tensors.remove(at: index).values
  }

  /// Consumes and returns an argument of the call that is not a tensor; `nil` when it is absent or
  /// null.
  package mutating func takeArgument(_ name: String, position: Int? = nil) -> JSONValue? {
    let names = [name] + (position.map { ["args[\($0)]"] } ?? [])
    for name in names {
      guard let value = arguments.plain[name] else { continue }
      arguments.plain[name] = nil
      if value != .null { return value }
    }
    return nil
  }

  /// The mask of a value: booleans, true for the steps that are used, usually `[batch, time]`;
  /// `nil` when all are used.
  package func mask(of value: ValueID) -> ValueID? { network.masks[value] }

  /// Attaches a mask to an output of this layer.
  package mutating func setMask(_ mask: ValueID?, of output: ValueID) {
    network.masks[output] = mask
  }

  /// Passes the input's mask, if there is one, on to the outputs, like a Keras layer with
  /// `supports_masking`.
  package mutating func keepMask(from input: ValueID, to outputs: [ValueID]) {
    guard let mask = network.masks[input] else { return }
    for output in outputs { network.masks[output] = mask }
  }
}
