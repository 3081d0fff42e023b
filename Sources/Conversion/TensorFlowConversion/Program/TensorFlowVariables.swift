import Bytes
import TensorFlowFormat

/// Which tensor of a SavedModel's files belongs to each of its variables. The graph says it where it
/// reads them: the operation that restores a model assigns results of `RestoreV2` to variables. Where
/// it restores copies, as of a model of Keras 3, the graph of objects says it.
struct TensorFlowVariables {
  /// The names of tensors in the files, by those of the operations that are variables.
  private(set) var tensorNames: [String: String] = [:]

  /// - Parameters:
  ///   - graph: The graph.
  ///   - operation: The name of the operation that restores a model; of TensorFlow 1, a part of the
  ///     graph itself.
  init(
    _ graph: TensorFlowGraph, restoredBy operation: String
  ) throws(WeighbridgeError) {
    let node = graph.nodes.first { $0.name == operation }
    guard let node, case .function(let name)? = node.attributes["f"] else {
      try read(graph.nodes, arguments: [:])
      return
    }
    guard let function = graph.functions.first(where: { $0.name == name }) else {
      throw .malformed("restores variables by the function \(name), which the graph does not have")
    }
    let arguments = Dictionary(
      zip(function.inputs, node.inputs), uniquingKeysWith: { first, _ in first })
    try read(function.nodes, arguments: arguments)
  }

  private mutating func read(
    _ nodes: [TensorFlowNode], arguments: [String: String]
  ) throws(WeighbridgeError) {
    let byName = Dictionary(nodes.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    for node in nodes where ["Assign", "AssignVariableOp"].contains(node.operation) {
      guard node.inputs.count >= 2 else { continue }
      var value = node.inputs[1]
      var source = byName[TensorFlowSignature.operation(of: value)]
      for _ in 0..<8 where source?.operation == "Identity" {
        value = source?.inputs.first ?? ""
        source = byName[TensorFlowSignature.operation(of: value)]
      }
      guard let restore = source, restore.operation == "RestoreV2", restore.inputs.count >= 2,
        case .tensor(let names)? = byName[TensorFlowSignature.operation(of: restore.inputs[1])]?
          .attributes["value"]
      else { continue }
      let index = value.split(separator: ":").dropFirst().last.flatMap { Int($0) } ?? 0
      guard names.strings.indices.contains(index) else {
        throw .malformed("restores tensor \(index), expected one of \(names.strings.count)")
      }
      let variable = TensorFlowSignature.operation(of: node.inputs[0])
      tensorNames[arguments[variable] ?? variable] = String(
        decoding: names.strings[index], as: UTF8.self)
    }
  }
  /// Adds variables that the graph gives to functions, which take them from objects.
  ///
  /// - Parameters:
  ///   - captures: The objects that functions take besides their arguments.
  ///   - objects: The objects with the names of their tensors.
  mutating func add(
    _ graph: TensorFlowGraph, captures: [String: [Int]], _ objects: ObjectGraph
  ) {
    for node in graph.nodes {
      guard case .function(let name)? = node.attributes["f"], let captured = captures[name] else {
        continue
      }
      let inputs = node.inputs.filter { !$0.hasPrefix("^") }
      guard inputs.count >= captured.count else { continue }
      for (value, object) in zip(inputs.suffix(captured.count), captured)
      where objects.objects.indices.contains(object) {
        let variable = TensorFlowSignature.operation(of: value)
        guard tensorNames[variable] == nil else { continue }
        tensorNames[variable] = objects.objects[object].tensors["VARIABLE_VALUE"]
      }
    }
  }
}
