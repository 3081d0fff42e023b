import Bytes
import JSON

/// Nodes as Keras 3 writes them: `{"args": [...], "kwargs": {...}}`, with an object of the class
/// `__keras_tensor__` in place of each tensor.
extension KerasNodeParser {
  /// Reads a call. The first positional argument is its input; the others have no names in the file
  /// and are named `args[1]`, `args[2]`, ...
  static func keras3Call(_ node: JSONReader) throws(WeighbridgeError) -> KerasCall {
    try node.allow(only: ["args", "kwargs"])
    var inputs: [KerasTensorReference] = []
    var inputKeys: [String]?
    var constants: [Int: JSONValue] = [:]
    var tensors: [KerasTensorArgument] = []
    var arguments = JSONObject()
    let positional = try node.member("args").elements()
    for (index, argument) in positional.enumerated() {
      let name = "args[\(index)]"
      if !containsTensor(argument.value) {
        arguments[name] = argument.value
      } else if index == 0 {
        (inputs, constants) = try mixed(argument)
        inputKeys = keys(of: argument)
      } else {
        tensors.append(KerasTensorArgument(name: name, tensors: try self.tensors(in: argument)))
      }
    }
    let keywords = try node.member("kwargs")
    let inputName = positional.isEmpty ? inputName(among: try keywords.object()) : nil
    for key in try keywords.object().keys {
      let argument = try keywords.member(key)
      let items = try parts(of: argument)
      if key == inputName {
        (inputs, constants) = try mixed(argument)
        inputKeys = keys(of: argument)
      } else if items.contains(where: { $0.value == .null }),
        items.allSatisfy({ isTensor($0.value) || $0.value == .null })
      {
        // Only some masks are given: each is a separate argument, `mask[0]`, `mask[1]`.
        for (index, item) in items.enumerated() where item.value != .null {
          tensors.append(
            KerasTensorArgument(name: "\(key)[\(index)]", tensors: [try tensor(item)]))
        }
        if items.allSatisfy({ $0.value == .null }) { arguments[key] = argument.value }
      } else if containsTensor(argument.value) {
        tensors.append(KerasTensorArgument(name: key, tensors: try self.tensors(in: argument)))
      } else {
        arguments[key] = argument.value
      }
    }
    return KerasCall(
      inputs: inputs, inputKeys: inputKeys, inputConstants: constants, tensorArguments: tensors,
      arguments: arguments)
  }

  /// The tensors of a list, and the constants among them.
  private static func mixed(
    _ argument: JSONReader
  ) throws(WeighbridgeError) -> (tensors: [KerasTensorReference], constants: [Int: JSONValue]) {
    guard argument.value.array != nil else { return (try tensors(in: argument), [:]) }
    var (tensors, constants): ([KerasTensorReference], [Int: JSONValue]) = ([], [:])
    for element in try argument.elements() {
      let name = element.value.object?["class_name"]
      if name == "__numpy__" || name == "__tensor__" {
        constants[tensors.count + constants.count] = element.value
      } else {
        tensors += try self.tensors(in: element)
      }
    }
    return (tensors, constants)
  }

  /// The keyword that is the first parameter of a layer called with keywords only: one of the names
  /// that it has in the `call` methods of Keras' layers, or else the only tensor.
  private static func inputName(among keywords: JSONObject) -> String? {
    let names = keywords.keys.filter { keywords[$0].map(containsTensor) == true }
    let known = ["inputs", "sequences", "query", "x", "data", "images", "input_tensor"]
    return known.first(where: names.contains) ?? (names.count == 1 ? names[0] : nil)
  }

  /// The keys of a dictionary of tensors, sorted.
  private static func keys(of argument: JSONReader) -> [String]? {
    isTensor(argument.value) ? nil : argument.value.object?.keys.sorted()
  }

  /// The elements of a list, or the values of a dictionary in the order of its keys; empty for
  /// anything else.
  private static func parts(of argument: JSONReader) throws(WeighbridgeError) -> [JSONReader] {
    if argument.value.array != nil { return try argument.elements() }
    return keys(of: argument) == nil ? [] : try argument.membersByKey()
  }

  static func isTensor(_ value: JSONValue) -> Bool {
    value.object?["class_name"]?.string == "__keras_tensor__"
  }

  private static func containsTensor(_ value: JSONValue) -> Bool {
    if let list = value.array { return list.contains(where: containsTensor) }
    guard let object = value.object else { return false }
    return isTensor(value) || object.keys.contains { object[$0].map(containsTensor) ?? false }
  }

  /// The tensors of an argument that consists only of tensors in lists and dictionaries.
  private static func tensors(
    in json: JSONReader
  ) throws(WeighbridgeError) -> [KerasTensorReference] {
    if isTensor(json.value) { return [try tensor(json)] }
    guard json.value.array != nil || json.value.object != nil else {
      throw json.failure(
        "is \(json.value.typeName) among tensors, which cannot be read yet", code: .unsupported)
    }
    let parts = try json.value.array == nil ? json.membersByKey() : json.elements()
    var tensors: [KerasTensorReference] = []
    for part in parts { tensors += try self.tensors(in: part) }
    return tensors
  }

  static func tensor(
    _ json: JSONReader
  ) throws(WeighbridgeError) -> KerasTensorReference {
    try json.allow(only: ["class_name", "config"])
    let config = try json.member("config")
    // The shape, type and name are those of the layer's output.
    try config.allow(only: ["shape", "dtype", "keras_history", "name"])
    return try reference(try config.member("keras_history"))
  }
}
