import Bytes
import JSON
import KerasFormat

/// A node of a TensorFlow graph that a model uses as a layer (`TensorFlowOpLayer` of TensorFlow 2.0
/// to 2.3), translated to a call of the function that creates such a node.
struct KerasGraphNode {
  /// How an operation of the graph becomes a call of a function.
  struct Translation: Sendable {
    /// TensorFlow's function.
    let function: String
    /// The names of the arguments; those without one keep their position.
    var arguments: [String?] = []
    /// The names of the arguments that correspond to attributes; other attributes are not needed.
    var attributes: [String: String] = [:]
    /// Whether the inputs form one list argument, except the last ones, which are named.
    var isList = false
  }

  /// The function's name in ``KerasFunctionTable``.
  let name: KerasFunctionName
  /// Its arguments.
  let operands: KerasOperands

  /// Translates a node.
  ///
  /// - Parameters:
  ///   - operation: The node's operation, such as `AddV2`.
  ///   - tensors: The call as written: one list of tensors.
  ///   - settings: The layer's settings, with `node_def` and `constants`.
  /// - Throws: ``WeighbridgeError/Code/unsupported`` for unknown operations.
  init(
    _ operation: String, tensors: KerasOperands, settings: JSONObject
  ) throws(WeighbridgeError) {
    guard let translation = Self.translations[operation],
      let node = settings["node_def"]?.object
    else { throw .unsupported("the operation \(operation) is unknown") }
    var inputs: [KerasOperand] =
      if case .list(let list) = tensors.positional.first { list } else { tensors.positional }
    try Self.insertConstants(settings["constants"]?.object ?? [:], into: &inputs)
    let attributes = node["attr"]?.object ?? [:]
    var named: [String: KerasOperand] = [:]
    for (attribute, argument) in translation.attributes {
      if let value = attributes[attribute].flatMap(Self.value) { named[argument] = .value(value) }
    }
    name = .tensorFlow(translation.function)
    if operation == "StridedSlice" {
      named["slice_spec"] = .value(try Self.sliceSpec(inputs, attributes))
      inputs = Array(inputs.prefix(1))
    }
    operands = Self.assigned(inputs, named, translation)
  }

  /// Inserts the constants among the tensors, at their positions in the node's inputs.
  private static func insertConstants(
    _ constants: JSONObject, into inputs: inout [KerasOperand]
  ) throws(WeighbridgeError) {
    let positions = constants.keys.compactMap { Int($0) }.sorted()
    guard positions.count == constants.keys.count else {
      throw .malformed(
        "the positions of the constants are \(constants.keys), expected whole "
          + "numbers")
    }
    for position in positions {
      guard (0...inputs.count).contains(position) else {
        throw .malformed(
          "a constant is at position \(position), and "
            + "there are \(inputs.count.counted("input"))")
      }
      inputs.insert(.value(constants[String(position)] ?? .null), at: position)
    }
  }

  /// Assigns a node's inputs to the function's arguments.
  private static func assigned(
    _ inputs: [KerasOperand], _ named: [String: KerasOperand], _ translation: Translation
  ) -> KerasOperands {
    var (named, positional): ([String: KerasOperand], [KerasOperand]) = (named, [])
    if translation.isList {
      let namedArguments = translation.arguments.compactMap { $0 }
      let count = max(0, inputs.count - namedArguments.count)
      for (name, input) in zip(namedArguments, inputs[count...]) { named[name] = input }
      return KerasOperands(positional: [.list(Array(inputs[..<count]))], named: named)
    }
    for (position, input) in inputs.enumerated() {
      if position < translation.arguments.count, let name = translation.arguments[position] {
        named[name] = input
      } else {
        positional.append(input)
      }
    }
    return KerasOperands(positional: positional, named: named)
  }

  /// The plain value of an attribute in Protobuf's JSON form.
  private static func value(_ attribute: JSONValue) -> JSONValue? {
    guard let form = attribute.object, let kind = form.keys.first, let value = form[kind] else {
      return nil
    }
    switch kind {
    case "b": return value
    case "f": return value.real.map { .real($0) }
    case "i": return integer(value).map { .integer($0) }
    case "s":
      return value.string.flatMap { [UInt8](base64: $0) }
        .map { .string(String(decoding: $0, as: UTF8.self)) }
    case "type": return value.string.flatMap { types[$0] }.map { .string($0) }
    case "list":
      let list = value.object?["i"]?.array ?? []
      return .array(list.compactMap(integer).map { .integer($0) })
    default: return nil
    }
  }

  /// 64-bit numbers are written as strings.
  private static func integer(_ value: JSONValue) -> Int? {
    value.integer ?? value.string.flatMap { Int($0) }
  }

  private static let types = [
    "DT_HALF": "float16", "DT_BFLOAT16": "bfloat16", "DT_FLOAT": "float32", "DT_DOUBLE": "float64",
    "DT_INT8": "int8", "DT_INT16": "int16", "DT_INT32": "int32", "DT_INT64": "int64",
    "DT_UINT8": "uint8", "DT_UINT16": "uint16", "DT_BOOL": "bool",
  ]

  /// The parts of `x[...]`, from the numbers and the masks of a `StridedSlice`.
  private static func sliceSpec(
    _ inputs: [KerasOperand], _ attributes: JSONObject
  ) throws(WeighbridgeError) -> JSONValue {
    let lists: [[Int]] = inputs.dropFirst().map { operand in
      if case .value(let json) = operand { json.array?.compactMap(\.integer) ?? [] } else { [] }
    }
    guard lists.count == 3, Set(lists.map(\.count)).count == 1, !lists[0].isEmpty,
      lists[0].count < 32
    else { throw .unsupported("takes a range whose ends are not known before the model runs") }
    func mask(_ name: String, _ position: Int) -> Bool {
      (attributes["\(name)_mask"].flatMap(value)?.integer ?? 0) >> position & 1 == 1
    }
    return .array(
      lists[0].indices.map { position in
        if mask("ellipsis", position) {
          let ellipsis: JSONObject = ["class_name": "__ellipsis__"]
          return .object(ellipsis)
        }
        if mask("new_axis", position) { return .null }
        if mask("shrink_axis", position) { return .integer(lists[0][position]) }
        let range: JSONObject = [
          "start": mask("begin", position) ? .null : .integer(lists[0][position]),
          "stop": mask("end", position) ? .null : .integer(lists[1][position]),
          "step": .integer(lists[2][position]),
        ]
        return .object(range)
      })
  }
}
