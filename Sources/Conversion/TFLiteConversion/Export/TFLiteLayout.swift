import Bytes
import ConversionCore
import GraphIR
import TFLiteFormat

/// The elements of a weight as a file has them.
struct TFLiteWeight {
  let name: String
  let tensor: Tensor
  /// The type in which the elements are stored.
  let type: ElementType
}

/// The graphs of a file, and its weights.
struct TFLiteLayout {
  private(set) var weights: [TFLiteWeight] = []
  /// The weights that take more bits than in the model.
  private(set) var widened = WidenedWeights()
  /// The graphs, of which the first is the model.
  private(set) var graphs: [TFLiteGraph] = []
  private let precision: ExportPrecision

  init(_ precision: ExportPrecision) { self.precision = precision }

  /// Adds a graph, and those that its loops and branches refer to.
  ///
  /// - Returns: Its position.
  @discardableResult
  mutating func add(_ subgraph: TFLiteSubgraph) -> Int {
    let position = graphs.count
    graphs.append(
      TFLiteGraph(name: subgraph.name, tensors: [], operators: [], inputs: [], outputs: []))
    var layout = TFLiteGraphLayout(subgraph)
    for name in subgraph.inputs { layout.addTensor(name, &self) }
    for node in subgraph.nodes { layout.add(node, &self) }
    graphs[position] = layout.graph(&self)
    return position
  }

  /// Adds a weight and returns its position.
  fileprivate mutating func add(_ name: String, _ tensor: Tensor, _ type: ElementType) -> Int {
    weights.append(TFLiteWeight(name: name, tensor: tensor, type: type))
    return weights.count - 1
  }

  /// A form of a weight with fewer bits; `nil` if there is none.
  fileprivate mutating func narrow(_ weight: Tensor) -> TFLiteNarrowWeight? {
    if let narrow = TFLiteNarrowWeight(weight, precision) { return narrow }
    widened.add(weight)
    return nil
  }

  /// The model.
  ///
  /// - Parameters:
  ///   - inputs: The names of the inputs in the signature.
  ///   - outputs: The names of the outputs in the signature.
  func model(inputs: [String], outputs: [String], description: String) -> TFLiteModel {
    TFLiteModel(
      graphs: graphs, inputs: zip(inputs, graphs[0].inputs).map(TFLitePort.init),
      outputs: zip(outputs, graphs[0].outputs).map(TFLitePort.init), description: description,
      dataByteCounts: weights.map { $0.tensor.count * $0.type.byteCount })
  }
}

/// The tensors and operators of a graph, by their positions.
private struct TFLiteGraphLayout {
  private let subgraph: TFLiteSubgraph
  private var tensors: [TFLiteTensor] = []
  private var operators: [TFLiteOperator] = []
  private var positions: [String: Int] = [:]

  init(_ subgraph: TFLiteSubgraph) { self.subgraph = subgraph }

  mutating func add(_ node: TFLiteNode, _ file: inout TFLiteLayout) {
    let inputs = node.inputs.map { $0.isEmpty ? -1 : addTensor($0, &file) }
    let outputs = node.outputs.map { addTensor($0, &file) }
    var options = node.options
    if node.subgraphs.count == 2 {
      let graphs = (file.add(node.subgraphs[0]), file.add(node.subgraphs[1]))
      options =
        node.builtin == .ifElse
        ? .branches(then: graphs.0, else: graphs.1) : .loop(condition: graphs.0, body: graphs.1)
    }
    append(node.builtin, inputs, outputs, options, minimumVersion: node.minimumVersion)
  }

  private mutating func append(
    _ builtin: TFLiteBuiltin, _ inputs: [Int], _ outputs: [Int],
    _ options: TFLiteBuiltinOptions? = nil, minimumVersion: Int = 1
  ) {
    let version = builtin.version(
      inputs.map { $0 < 0 ? nil : tensors[$0] }, minimum: minimumVersion)
    operators.append(
      TFLiteOperator(
        TFLiteOperatorCode(builtin, version: version, customName: options?.custom?.name),
        inputs: inputs, outputs: outputs, options: options))
  }

  /// Returns the position of a tensor, which is added at its first use.
  @discardableResult
  mutating func addTensor(_ name: String, _ file: inout TFLiteLayout) -> Int {
    if let position = positions[name] { return position }
    if let weight = subgraph.builder.weights[name] { return addWeight(name, weight, &file) }
    let type = subgraph.type(name)
    let shape = type?.shape.map(\.value) ?? []
    let position = append(name, type?.elementType ?? .float32, shape)
    tensors[position].isVariable = subgraph.builder.variables.contains(name)
    tensors[position].quantization = subgraph.builder.quantizations[name]
    return position
  }

  /// Adds a weight; one of narrow numbers is followed by an operator that widens them.
  private mutating func addWeight(
    _ name: String, _ weight: Tensor, _ file: inout TFLiteLayout
  ) -> Int {
    let type = subgraph.builder.fileType(weight.elementType)
    guard let narrow = file.narrow(weight) else {
      let data = file.add(name, weight, type)
      let position = append(name, type, weight.shape, data)
      tensors[position].quantization = subgraph.builder.quantizations[name]
      return position
    }
    let storedName = "\(name)/\(narrow.type.rawValue)"
    let data = file.add(storedName, narrow.tensor, narrow.type)
    let stored = append(storedName, narrow.type, weight.shape, data)
    tensors[stored].quantization = narrow.quantization
    let full = append(name, type, weight.shape)
    append(.dequantize, [stored], [full])
    return full
  }

  private mutating func append(
    _ name: String, _ type: ElementType, _ shape: [Int?], _ data: Int? = nil
  ) -> Int {
    tensors.append(
      TFLiteTensor(name: name, type: type, shape: shape, data: data))
    positions[name] = tensors.count - 1
    return tensors.count - 1
  }

  mutating func graph(_ file: inout TFLiteLayout) -> TFLiteGraph {
    let inputs = subgraph.inputs.map { addTensor($0, &file) }
    let outputs = subgraph.outputs.map { addTensor($0, &file) }
    return TFLiteGraph(
      name: subgraph.name, tensors: tensors, operators: operators, inputs: inputs,
      outputs: outputs)
  }
}
