import Bytes
import JSON

/// Calls of functions, in which the order of tensors and constants matters.
extension KerasNodeParser {
  /// Reads a call in the form of Keras 2 or Keras 3.
  static func functionCall(_ node: JSONReader) throws(WeighbridgeError) -> KerasCall {
    var parser = KerasOperandParser()
    let operands =
      node.value.object == nil ? try parser.keras2(node) : try parser.keras3(node)
    return KerasCall(inputs: parser.tensors, operands: operands)
  }
}

/// Collects the tensors of a call while its arguments are read.
private struct KerasOperandParser {
  var tensors: [KerasTensorReference] = []

  /// Reads `{"args": [...], "kwargs": {...}}` of Keras 3.
  mutating func keras3(_ node: JSONReader) throws(WeighbridgeError) -> KerasOperands {
    try node.allow(only: ["args", "kwargs"])
    let positional = try node.member("args").elements().map { (argument) throws(WeighbridgeError) in
      try operand(argument)
    }
    return KerasOperands(
      positional: positional, named: try members(try node.member("kwargs")))
  }

  /// Reads `["x", 0, 0, {...}]` of Keras 2, a list of these, or `["_CONSTANT_VALUE", -1, value,
  /// {...}]`; the dictionary contains the arguments after the first.
  mutating func keras2(_ node: JSONReader) throws(WeighbridgeError) -> KerasOperands {
    var named: JSONReader?
    let first = try firstArgument(node, &named)
    guard let named else { return KerasOperands(positional: [first], named: [:]) }
    return KerasOperands(positional: [first], named: try members(named))
  }

  private mutating func firstArgument(
    _ json: JSONReader, _ named: inout JSONReader?
  ) throws(WeighbridgeError) -> KerasOperand {
    let parts = try json.elements()
    guard parts.first?.value.string != nil else {
      let count = tensors.count
      var list: [KerasOperand] = []
      for part in parts { list.append(try firstArgument(part, &named)) }
      guard tensors.count == count else { return .list(list) }
      return .value(.array(list.compactMap { if case .value(let json) = $0 { json } else { nil } }))
    }
    guard parts.count == 3 || parts.count == 4 else {
      throw json.failure("has \(parts.count) parts; [layer, call, output] is a reference")
    }
    if parts.count == 4 {
      guard named == nil || named?.value == parts[3].value else {
        throw json.failure("has arguments that differ from those of the tensors before it")
      }
      named = parts[3]
    }
    if parts[0].value == "_CONSTANT_VALUE" { return .value(parts[2].value) }
    return try tensor(json)
  }

  private mutating func tensor(_ json: JSONReader) throws(WeighbridgeError) -> KerasOperand {
    tensors.append(try KerasNodeParser.reference(json))
    return .tensor(tensors.count - 1)
  }

  private mutating func members(
    _ json: JSONReader
  ) throws(WeighbridgeError) -> [String: KerasOperand] {
    var members: [String: KerasOperand] = [:]
    for key in try json.object().keys { members[key] = try operand(try json.member(key)) }
    return members
  }

  /// Reads an argument, which may contain tensors.
  private mutating func operand(_ json: JSONReader) throws(WeighbridgeError) -> KerasOperand {
    if KerasNodeParser.isReference(json.value) { return try tensor(json) }
    if KerasNodeParser.isTensor(json.value) {
      tensors.append(try KerasNodeParser.tensor(json))
      return .tensor(tensors.count - 1)
    }
    let count = tensors.count
    if json.value.array != nil {
      var list: [KerasOperand] = []
      for element in try json.elements() { list.append(try operand(element)) }
      return tensors.count == count ? .value(json.value) : .list(list)
    }
    guard json.value.object != nil else { return .value(json.value) }
    let dictionary = try members(json)
    return tensors.count == count ? .value(json.value) : .dictionary(dictionary)
  }
}
