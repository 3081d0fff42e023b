import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog

/// The Core ML layers of a graph.
struct CoreMLLayers {
  /// The layers that the outputs need, in topological order.
  let layers: [CoreMLLayer]
  /// The data of the weights; a placeholder's offset is an index into them.
  let weights: [CoreMLWeightData]
  /// The meaning of the axes of values.
  let axes: CoreMLNetworkBuilder.Axes
  /// The lowest specification version that has all layers.
  let version: Int
  /// The names of the outputs.
  let outputNames: [String]
  /// The weights that take more space than in the model.
  let widened: WidenedWeights

  /// - Throws: ``WeighbridgeError/Code/unsupported`` with every layer that Core ML cannot express.
  init(
    _ source: CoreMLExportSource, axes: CoreMLNetworkBuilder.Axes, _ options: CoreMLOptions
  ) throws(WeighbridgeError) {
    let inputs = source.graph.inputs.map(\.name)
    var builder = CoreMLNetworkBuilder(
      axes: axes, precision: options.precision, maximumVersion: options.specVersion,
      reserved: inputs)
    let names = source.graph.outputs.map { builder.unusedName($0.name) }
    let results = try builder.emit(
      source.graph,
      inputs: source.graph.inputs.map { builder.value($0.name, source.type($0.value)) },
      types: source.types, groups: CoreMLBidirectionalPairs.groups(source.graph))
    let newNames = try builder.newNames(for: results, names, isFixed: inputs.contains) {
      (builder, value) throws(WeighbridgeError) in
      try builder.copy(value)
    }
    layers = builder.layers.needed(for: names, renaming: newNames)
    weights = builder.weights
    self.axes = axes
    version = max(builder.version, axes == .exact ? 4 : 1)
    outputNames = names
    widened = builder.widened
  }
}

extension CoreMLLayer: ExportNode {}

extension CoreMLNetworkBuilder {
  mutating func emit(
    _ step: ExportStep<ExportOperand>
  ) throws(WeighbridgeError) -> [ExportOperand] {
    let node = step.node
    let names: [String]
    if !step.absorbed.isEmpty {
      names = [try bidirectionalLSTM(step.absorbed, named: node.source.callName, step.inputs)]
    } else if let opaque = node.operation as? Opaque {
      scope = ExportScope(prefix: node.name, operands: step.inputs[0])
      names = try customLayer(opaque, node.source)
    } else {
      return try apply(
        node.operation, named: node.name, step.inputs[0], isUsed: step.isUsed)
    }
    return zip(names, step.outputTypes).map { value($0, $1) }
  }

  /// Copies a value under another name, for outputs that are also inputs or other outputs.
  fileprivate mutating func copy(_ value: ExportOperand) throws(WeighbridgeError) -> String {
    try activation("linear", try input(value), ["alpha": 1, "beta": 0])
  }

  func problem(of type: TensorType) -> String? {
    switch axes {
    case .images:
      let isSupported = [2, 4].contains(type.rank) && type.shape[0] == 1
      return isSupported ? nil : Self.needsExactAxes("the shape \(type.shape)").reason
    case .exact:
      return type.rank <= Self.maximumRank
        ? nil : "Core ML has five axes at most, and it has \(type.rank)"
    }
  }
}
