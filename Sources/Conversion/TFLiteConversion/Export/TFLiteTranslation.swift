import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import TFLiteFormat

/// A model as the contents of a TFLite file.
struct TFLiteTranslation {
  /// Everything but the elements of the weights.
  let model: TFLiteModel
  /// The weights in the order of the file, and the types in which they are stored.
  let weights: [(name: String, tensor: Tensor, type: ElementType)]
  /// Descriptions of what the file lacks, or contains in another form.
  let losses: [String]

  init(_ content: ModelContent, options: TFLiteOptions) throws(WeighbridgeError) {
    let prepared = try PreparedModel(
      content, TFLiteExporter.passes(options), for: "TFLite",
      TFLiteOperators.table)
    let graph = prepared.graph
    let outputNames = graph.outputs.map(\.name)
    var builder = TFLiteBuilder(reserved: graph.inputs.map(\.name) + outputNames)
    let inputs = graph.inputs.map { builder.addInput($0.name, graph[$0.value].type) }
    let results = try builder.emit(graph, inputs: inputs, groups: ExportGroups())
    let fixed = Set(inputs.map(\.name))
    let newNames = try builder.newNames(for: results, outputNames, isFixed: fixed.contains) {
      (builder, value) throws(WeighbridgeError) in
      try builder.cast(value, to: value.type.elementType).name
    }
    var layout = TFLiteLayout(builder, newNames, isHalf: options.precision == .float16)
    for input in inputs { layout.addTensor(input.name) }
    layout.add(builder.nodes.needed(for: outputNames, renaming: newNames))
    model = layout.model(
      inputs: inputs.map(\.name), outputs: outputNames, names: graph.inputs.map(\.name),
      description: content.description.name ?? "")
    weights = layout.weights
    var losses: [String] = []
    if content.description != ModelDescription() {
      losses.append("the description of the model is not in the file, but for its name")
    }
    self.losses = losses
  }
}

/// The tensors and operators of a file, by their positions.
private struct TFLiteLayout {
  private(set) var weights: [(name: String, tensor: Tensor, type: ElementType)] = []
  private var tensors: [TFLiteTensor] = []
  private var operators: [TFLiteOperator] = []
  private var positions: [String: Int] = [:]
  private let builder: TFLiteBuilder
  private let isHalf: Bool
  /// The names that tensors had before they became outputs.
  private let oldNames: [String: String]

  /// Weights of fewer elements stay as they are: they are constants of formulas.
  private static let smallestHalfCount = 16

  init(_ builder: TFLiteBuilder, _ newNames: [String: String], isHalf: Bool) {
    (self.builder, self.isHalf) = (builder, isHalf)
    oldNames = Dictionary(newNames.map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
  }

  mutating func add(_ nodes: [TFLiteNode]) {
    for node in nodes {
      let inputs = node.inputs.map { $0.isEmpty ? -1 : addTensor($0) }
      operators.append(
        TFLiteOperator(
          TFLiteOperatorCode(node.builtin, version: node.version), inputs: inputs,
          outputs: node.outputs.map { addTensor($0) }, options: node.options))
    }
  }

  /// Returns the position of a tensor, which is added at its first use.
  @discardableResult
  mutating func addTensor(_ name: String) -> Int {
    if let position = positions[name] { return position }
    let type = builder.types[oldNames[name] ?? name] ?? builder.types[name]
    let weight = builder.weights[name]
    let isHalf =
      isHalf && weight?.elementType == .float32
      && (weight?.count ?? 0) >= Self.smallestHalfCount
    if let weight, isHalf {
      let half = append(name + "/float16", .float16, weight.shape, weight)
      let full = append(name, .float32, weight.shape, nil)
      operators.append(
        TFLiteOperator(
          TFLiteOperatorCode(.dequantize, version: 3), inputs: [half], outputs: [full],
          options: nil))
      return full
    }
    return append(
      name, type?.elementType ?? .float32, type?.shape.map(\.value) ?? [], weight)
  }

  private mutating func append(
    _ name: String, _ type: ElementType, _ shape: [Int?], _ weight: Tensor?
  ) -> Int {
    let position = tensors.count
    tensors.append(
      TFLiteTensor(
        name: name, type: TFLiteElementType(type), shape: shape,
        data: weight.map { _ in weights.count }))
    if let weight { weights.append((name, weight, type)) }
    positions[name] = position
    return position
  }

  mutating func model(
    inputs: [String], outputs: [String], names: [String], description: String
  ) -> TFLiteModel {
    let inputPorts = zip(names, inputs).map { TFLitePort(name: $0, tensor: addTensor($1)) }
    let outputPorts = outputs.map { TFLitePort(name: $0, tensor: addTensor($0)) }
    return TFLiteModel(
      tensors: tensors, operators: operators, inputs: inputPorts, outputs: outputPorts,
      description: description,
      dataByteCounts: weights.map { $0.tensor.count * $0.type.byteCount })
  }
}
