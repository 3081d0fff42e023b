import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import NCNNFormat

/// A model as the contents of ncnn's files.
struct NCNNTranslation {
  /// The layers.
  private(set) var layers: [NCNNLayer]
  /// The weights of layers, by their names.
  let weights: [String: [Tensor]]
  /// Descriptions of what the files lack or contain in another form.
  private(set) var losses: [String]

  init(_ content: ModelContent, options: NCNNOptions) throws(WeighbridgeError) {
    let detection = options.withNMS ?? false ? try NCNNDetection(content) : nil
    let prepared = try PreparedModel(
      content, NCNNExporter.passes(options), for: "ncnn",
      NCNNOperators.table)
    let (graph, types) = (prepared.graph, prepared.types)
    let names = graph.inputs.map { NCNNBuilder.validName($0.name) }
    let indexInputs = Set(graph.indexInputs.map { NCNNBuilder.validName($0.name) })
    var builder = NCNNBuilder(reserved: names, indexInputs: indexInputs)
    let requestedNames = detection.map { _ in [NCNNDetection.output] } ?? graph.outputs.map(\.name)
    let outputNames = requestedNames.map { builder.unusedName($0) }
    let inputs = zip(graph.inputs, names).map { builder.value($1, types[$0.value.index]) }
    var results = try builder.emit(graph, inputs: inputs, types: types, groups: ExportGroups())
    if let detection { results = [try detection.add(results, to: &builder)] }
    let constants = builder.layers.filter { $0.type == "MemoryData" }.flatMap(\.outputs)
    let fixed = Set(names + constants)
    let newNames = try builder.newNames(for: results, outputNames, isFixed: fixed.contains) {
      (builder, value) throws(WeighbridgeError) in
      builder.scope = ExportScope(prefix: builder.scope.prefix, operands: [value])
      let blob = try builder.input()
      return try builder.add("Split", [blob], shape: blob.shape).name
    }
    let needed = builder.layers.needed(for: outputNames, renaming: newNames)
    layers = inputs.map(Self.input) + needed
    weights = builder.weights
    losses = prepared.losses + (detection == nil ? [] : NCNNDetection.losses)
    if content.description != ModelDescription() {
      losses.append("the description of the model is not in ncnn's files")
    }
    let oldNames = graph.inputs.map(\.name) + requestedNames
    for (old, new) in zip(oldNames, names + outputNames) where old != new {
      losses.append("\(old) is called \(new)")
    }
    losses += builder.indexInputs.sorted().map { "\($0) takes whole numbers of 32 bits" }
    splitBlobs(outputs: outputNames)
  }

  /// The layer of an input, with its sizes if all are known.
  private static func input(_ operand: ExportOperand) -> NCNNLayer {
    let shape = NCNNBuilder.shape(operand.type)
    let knownSizes = shape.compactMap { $0 }
    let settings = knownSizes.count == shape.count ? NCNNBuilder.sizes(knownSizes) : [:]
    return NCNNLayer(
      type: "Input", name: operand.name, inputs: [], outputs: [operand.name],
      parameters: settings.mapValues { .integer($0) })
  }

  /// Gives each reader its own copy of a blob that several layers read, or that is both read and an
  /// output.
  private mutating func splitBlobs(outputs: [String]) {
    var readers: [String: Int] = [:]
    for name in layers.flatMap(\.inputs) + outputs { readers[name, default: 0] += 1 }
    var names = UniqueNames(layers.flatMap { $0.outputs + [$0.name] })
    var copies: [String: [String]] = [:]
    var result: [NCNNLayer] = []
    for var layer in layers {
      layer.inputs = layer.inputs.map { copies[$0]?.popLast() ?? $0 }
      var splits: [NCNNLayer] = []
      for (index, blob) in layer.outputs.enumerated() {
        guard let count = readers[blob], count > 1 else { continue }
        let isOutput = outputs.contains(blob)
        let source = isOutput ? names.unused("\(blob)/whole") : blob
        layer.outputs[index] = source
        let copyNames = (0..<count).map {
          isOutput && $0 == 0 ? blob : names.unused("\(blob)/\($0)")
        }
        copies[blob] = Array(copyNames.dropFirst(isOutput ? 1 : 0).reversed())
        splits.append(
          NCNNLayer(
            type: "Split", name: names.unused("\(blob)/Split"), inputs: [source],
            outputs: copyNames))
      }
      result += [layer] + splits
    }
    layers = result
  }
}
