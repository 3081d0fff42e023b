import Bytes
import JSON

/// Reads `inbound_nodes` and similar lists, without knowing the layers.
enum KerasNodeParser {
  /// The calls of a layer, with Keras' own numbering of calls.
  ///
  /// - Parameter isFunction: Whether it is a function that the model calls without a layer.
  static func calls(
    in nodes: JSONReader?, isFunction: Bool
  ) throws(WeighbridgeError) -> [KerasCall] {
    guard let nodes else { return [] }
    let calls = try nodes.elements().map { (node) throws(WeighbridgeError) in
      isFunction ? try functionCall(node) : try call(node)
    }
    return calls
  }

  /// Reads a single reference `["x", 0, 0]`, or possibly nested lists and dictionaries of them, in
  /// the order of the lists and of the sorted keys, as Keras flattens them.
  static func references(
    in json: JSONReader
  ) throws(WeighbridgeError) -> [KerasTensorReference] {
    let parts: [JSONReader]
    if json.value.object != nil {
      parts = try json.membersByKey()
    } else {
      parts = try json.elements()
      if parts.first?.value.string != nil { return [try reference(json)] }
    }
    var references: [KerasTensorReference] = []
    for part in parts { references += try self.references(in: part) }
    return references
  }

  /// Reads a node: a list or dictionary of `["x", 0, 0, {...}]`, or a single one (operations as
  /// layers), or in Keras 3 its arguments.
  private static func call(_ node: JSONReader) throws(WeighbridgeError) -> KerasCall {
    let object = node.value.object
    if object?["args"] != nil || object?["kwargs"] != nil { return try keras3Call(node) }
    let items =
      object != nil
      ? try node.membersByKey() : isReference(node.value) ? [node] : try node.elements()
    var inputs: [KerasTensorReference] = []
    var constants: [Int: JSONValue] = [:]
    var keywords: JSONObject?
    for item in items {
      if let first = item.value.array?.first, first.array != nil {
        // A list among the inputs: the states of one of several stacked cells.
        inputs += try references(in: item)
        continue
      }
      if let constant = constant(item), object == nil {
        constants[inputs.count + constants.count] = constant
      } else {
        inputs.append(try reference(item))
      }
      let itemKeywords = try self.keywords(of: item)
      guard keywords == nil || keywords == itemKeywords else {
        throw item.failure("has arguments that differ from those of the tensors before it")
      }
      keywords = itemKeywords
    }
    return try call(inputs, constants, keys: object?.keys.sorted(), keywords ?? [:], node)
  }

  /// The constant in place of a reference: `["_CONSTANT_VALUE", -1, value, {...}]`.
  private static func constant(_ item: JSONReader) -> JSONValue? {
    guard let parts = item.value.array, parts.count == 3 || parts.count == 4,
      parts[0] == "_CONSTANT_VALUE"
    else { return nil }
    return parts[2]
  }

  /// Distinguishes tensors from plain values among the arguments by their form, as Keras does.
  private static func call(
    _ inputs: [KerasTensorReference], _ constants: [Int: JSONValue], keys: [String]?,
    _ keywords: JSONObject, _ node: JSONReader
  ) throws(WeighbridgeError) -> KerasCall {
    var tensors: [KerasTensorArgument] = []
    var arguments = JSONObject()
    for key in keywords.keys {
      guard let value = keywords[key] else { continue }
      let list = value.array ?? []
      if isReference(value) || (!list.isEmpty && list.allSatisfy(isReference)) {
        let argument = JSONReader(value, place: .member(key, of: node.place))
        tensors.append(KerasTensorArgument(name: key, tensors: try references(in: argument)))
      } else if list.contains(where: isReference),
        list.allSatisfy({ isReference($0) || $0 == .null })
      {
        // Only some masks are given: each is a separate argument, `mask[0]`, `mask[1]`.
        for (index, item) in list.enumerated() where item != .null {
          let argument = JSONReader(
            item, place: .element(index, of: .member(key, of: node.place)))
          tensors.append(
            KerasTensorArgument(name: "\(key)[\(index)]", tensors: [try reference(argument)]))
        }
      } else {
        arguments[key] = value
      }
    }
    return KerasCall(
      inputs: inputs, inputKeys: keys, inputConstants: constants, tensorArguments: tensors,
      arguments: arguments)
  }

  static func isReference(_ value: JSONValue) -> Bool {
    guard let list = value.array, list.count == 3 || list.count == 4 else { return false }
    return list[0].string != nil && list[1].integer != nil && list[2].integer != nil
  }

  static func reference(
    _ json: JSONReader
  ) throws(WeighbridgeError) -> KerasTensorReference {
    let parts = try json.elements()
    guard parts.count == 3 || parts.count == 4 else {
      throw json.failure("has \(parts.count) parts; a reference is [layer, call, output]")
    }
    let layer = try parts[0].string()
    guard layer != "_CONSTANT_VALUE" else {
      throw json.failure(
        "calls a layer with a constant, which cannot be read yet", code: .unsupported)
    }
    return KerasTensorReference(
      layer: layer, call: try parts[1].count(), tensor: try parts[2].count())
  }

  /// The fourth part of a reference: the arguments besides the tensors.
  private static func keywords(of item: JSONReader) throws(WeighbridgeError) -> JSONObject {
    let parts = try item.elements()
    return parts.count == 4 ? try parts[3].object() : [:]
  }
}
