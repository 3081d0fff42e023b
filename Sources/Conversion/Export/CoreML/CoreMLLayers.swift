import Bytes
import CoreMLFormat
import GraphIR
import LayerCatalog

/// The layers of a graph.
struct CoreMLLayers {
  /// The layers that the outputs need, in an order in which they can be computed.
  let layers: [CoreMLLayer]
  /// The elements of the weights; a place's offset is a position here.
  let weights: [CoreMLElements]
  /// What the axes of values are.
  let axes: CoreMLDraft.Axes
  /// The lowest specification version that has all layers.
  let version: Int
  /// The names of the outputs.
  let outputNames: [String]

  /// - Throws: ``WeighbridgeError/Code/unsupported`` with every layer that Core ML has no form for.
  init(
    _ source: CoreMLExportSource, axes: CoreMLDraft.Axes, encoding: CoreMLWeights.Encoding
  ) throws(WeighbridgeError) {
    let inputs = source.graph.inputs.map(\.name)
    var draft = CoreMLDraft(axes: axes, encoding: encoding, reserved: inputs)
    let names = source.graph.outputs.map { draft.unusedName($0.name) }
    let values = try Self.translate(source, into: &draft)
    var newNames: [String: String] = [:]
    for (port, name) in zip(source.graph.outputs, names) {
      guard let value = values[port.value.index] else { continue }
      if value.constant == nil, !inputs.contains(value.name), newNames[value.name] == nil {
        newNames[value.name] = name
      } else {
        draft.scope.prefix = name
        let copy = try draft.copy(value)
        newNames[copy] = name
      }
    }
    layers = Self.needed(draft.layers, for: names, renaming: newNames)
    weights = draft.weights
    self.axes = axes
    version = max(draft.version, axes == .exact ? 4 : 1)
    outputNames = names
  }

  /// Adds what all nodes become.
  ///
  /// - Returns: For each value what it is called, where a node reads it or makes it.
  private static func translate(
    _ source: CoreMLExportSource, into draft: inout CoreMLDraft
  ) throws(WeighbridgeError) -> [ExportOperand?] {
    let graph = source.graph
    var operands = [ExportOperand?](repeating: nil, count: graph.values.count)
    for (index, value) in graph.values.enumerated() {
      guard let tensor = value.constant else { continue }
      operands[index] = ExportOperand(name: value.name, type: value.type, constant: tensor)
    }
    var problems = ExportProblems()
    for port in graph.inputs {
      let type = source.type(port.value)
      if let problem = draft.problem(of: type) { problems.add(port.name, problem) }
      operands[port.value.index] = ExportOperand(name: port.name, type: type, constant: nil)
    }
    let pairs = CoreMLMemoryPairs(graph)
    for (position, node) in graph.nodes.enumerated() where !pairs.isMember(position) {
      let needed = pairs.pair(at: position)?.nodes ?? [node]
      let inputs = needed.map { $0.inputs.compactMap { operands[$0.index] } }
      do throws(WeighbridgeError) {
        if inputs.map(\.count) != needed.map(\.inputs.count) {
          continue  // behind a layer that is named already
        }
        for id in node.outputs {
          if let problem = draft.problem(of: source.type(id)) {
            throw WeighbridgeError(.unsupported, problem)
          }
        }
        let outputs =
          if let pair = pairs.pair(at: position) {
            [try draft.bothWays(pair, named: node.source.callName, inputs)]
          } else { try draft.add(node, inputs[0]) }
        for (id, name) in zip(node.outputs, outputs) {
          operands[id.index] = ExportOperand(name: name, type: source.type(id), constant: nil)
        }
      } catch {
        problems.add("\(node.source.callName) (\(node.source.className))", error.reason)
      }
    }
    try problems.check("Core ML")
    return operands
  }

  /// The layers that outputs need, with their values renamed.
  private static func needed(
    _ layers: [CoreMLLayer], for outputs: [String], renaming newNames: [String: String]
  ) -> [CoreMLLayer] {
    var needed = Set(outputs)
    var kept: [CoreMLLayer] = []
    for var layer in layers.reversed() {
      layer.inputs = layer.inputs.map { newNames[$0] ?? $0 }
      layer.outputs = layer.outputs.map { newNames[$0] ?? $0 }
      guard layer.outputs.contains(where: needed.contains) else { continue }
      needed.formUnion(layer.inputs)
      kept.append(layer)
    }
    return kept.reversed()
  }
}

extension CoreMLDraft {
  /// Adds what a node becomes.
  fileprivate mutating func add(
    _ node: Node, _ inputs: [ExportOperand]
  ) throws(WeighbridgeError) -> [String] {
    guard let opaque = node.operation as? Opaque else {
      return try apply(node.operation, named: node.name, inputs)
    }
    scope = ExportScope(prefix: node.name, operands: inputs)
    return try custom(opaque, node.source)
  }

  /// A value under another name, for outputs that are inputs or stand twice.
  fileprivate mutating func copy(_ value: ExportOperand) throws(WeighbridgeError) -> String {
    let source: String
    if let tensor = value.constant { source = try constant(tensor) } else { source = value.name }
    return try activation("linear", source, ["alpha": 1, "beta": 0])
  }

  /// Why a value cannot have a type, if it cannot.
  fileprivate func problem(of type: TensorType) -> String? {
    switch axes {
    case .images:
      let isPossible = [2, 4].contains(type.rank) && type.shape[0] == 1
      return isPossible ? nil : Self.needsExactAxes("the shape \(type.shape)").reason
    case .exact:
      return type.rank <= Self.mostAxes
        ? nil : "Core ML has five axes at most, and it has \(type.rank)"
    }
  }
}
