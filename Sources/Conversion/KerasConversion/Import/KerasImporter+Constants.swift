import Bytes
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// Constants that layers are called with.
extension KerasImporter {
  /// The arguments besides the inputs that are tensors, and may be constants.
  private static let tensorArguments: Set<String> = [
    "attention_mask", "key", "key_mask", "mask", "query_mask", "value", "value_mask",
  ]

  /// Inserts constants among the inputs of a layer.
  mutating func inserting(
    _ constants: [Int: JSONValue], into inputs: [ValueID], of record: KerasLayerRecord,
    _ path: String
  ) throws(WeighbridgeError) -> [ValueID] {
    var inputs = inputs
    for (position, json) in constants.sorted(by: { $0.key < $1.key }) {
      guard position <= inputs.count else { throw .malformed("has no input \(position)") }
      inputs.insert(try addConstant(json, of: record, path), at: position)
    }
    return inputs
  }

  /// Turns arguments that are arrays into tensors.
  mutating func addConstants(
    _ arguments: inout KerasLayer.CallArguments, of record: KerasLayerRecord, _ path: String
  ) throws(WeighbridgeError) {
    for key in arguments.plain.keys {
      guard let value = arguments.plain[key] else { continue }
      let isPositional = key.hasPrefix("args[") && value.arrayForm != nil
      let isNamed = Self.tensorArguments.contains(key) && (value.arrayForm != nil || isArray(value))
      guard isPositional || isNamed, !record.isModel else { continue }
      arguments.plain[key] = nil
      arguments.tensors.append((key, [try addConstant(value, of: record, path)]))
    }
  }

  /// Whether a value is nested lists of numbers and booleans, as Keras 2 writes an array.
  private func isArray(_ value: JSONValue) -> Bool {
    guard let list = value.array, let first = list.first else { return false }
    return first.real != nil || first.bool != nil || isArray(first)
  }

  /// Adds a constant. Keras 2 does not store its type: fractions have the type in which the layer
  /// computes.
  private mutating func addConstant(
    _ json: JSONValue, of record: KerasLayerRecord, _ path: String
  ) throws(WeighbridgeError) -> ValueID {
    let constant = try KerasConstant(json)
    let compute = try KerasTypePolicy.separate(record.config).policy?.compute
    let natural = constant.naturalType == .float32 ? compute ?? .float32 : constant.naturalType
    let tensor = try constant.tensor(constant.elementType ?? natural)
    return try network.graph.addConstant(tensor, named: "\(path)\(record.name)/constant")
  }
}
