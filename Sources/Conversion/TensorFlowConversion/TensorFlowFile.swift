import Bytes
import ConversionCore
import GraphIR
import TensorFlowFormat

/// The files of a model that is a graph of TensorFlow's operators.
struct TensorFlowFile {
  let formatName: String
  let graph: TensorFlowGraph
  /// What the model can be asked to compute.
  let signatures: [TensorFlowSignature]
  let context: TensorFlowContext
  /// The variables' tensors, as their files name them.
  let weights: [(name: String, type: TensorType)]
  let version: String?
  /// The files besides that with the graph.
  let otherFiles: [(path: String, store: ByteStore)]

  /// - Throws: What the readers of the formats throw.
  init(_ store: ByteStore, path: String) throws(WeighbridgeError) {
    if store.withBytes({ SavedModelFile.recognizes($0) }) {
      self = try Self.savedModel(store, path: path)
    } else if store.withBytes({ TensorFlowGraph.recognizes($0) }) {
      self = try Self.frozenGraph(store)
    } else {
      self = try Self.graphModel(store, path: path)
    }
  }

  init(
    formatName: String, graph: TensorFlowGraph, signatures: [TensorFlowSignature],
    context: TensorFlowContext, weights: [(name: String, type: TensorType)] = [],
    version: String? = nil, otherFiles: [(path: String, store: ByteStore)] = []
  ) {
    self.formatName = formatName
    self.graph = graph
    self.signatures = signatures
    self.context = context
    self.weights = weights
    self.version = version
    self.otherFiles = otherFiles
  }

  /// The signature that is converted: the one for serving, or else the first.
  func servingSignature() throws(WeighbridgeError) -> TensorFlowSignature {
    let usable = signatures.filter { !$0.outputs.isEmpty && !$0.name.hasPrefix("__saved_model_") }
    let preferred = ["serving_default", "serve", "predict"].lazy
      .compactMap { name in usable.first { $0.name == name } }.first
    guard let signature = preferred ?? usable.min(by: { $0.name < $1.name }) else {
      throw .unsupported(
        "has no signature, which says what it computes; save it with signatures=, or give the Keras model"
      )
    }
    return signature.inGraphOrder(graph)
  }
}

extension TensorFlowFile {
  /// Opens a SavedModel.
  private static func savedModel(
    _ store: ByteStore, path: String
  ) throws(WeighbridgeError) -> TensorFlowFile {
    let (file, graph) = try store.withBytes { (bytes) throws(WeighbridgeError) in
      let file = try SavedModelFile(bytes)
      return (file, try file.graph(bytes))
    }
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    let index = folder + "variables/variables.index"
    var variables = try TensorFlowVariables(graph, restoredBy: file.restoringOperation)
    let needsFiles = !variables.tensorNames.isEmpty
    guard needsFiles || exists(index) else {
      return TensorFlowFile(
        formatName: "savedmodel", graph: graph, signatures: file.signatures,
        context: TensorFlowContext(store: store) { _ in nil }, version: file.tensorFlowVersion)
    }
    let bundle = try bundle(index)
    if let objects = try ObjectGraph(bundle.tensors) {
      variables.add(graph, captures: file.captures, objects)
    }
    let tensorNames = variables.tensorNames
    return TensorFlowFile(
      formatName: "savedmodel", graph: graph, signatures: file.signatures,
      context: TensorFlowContext(store: store) { (name) throws(WeighbridgeError) in
        guard let tensor = tensorNames[name] else { return nil }
        return try bundle.tensors.tensor(tensor)
      }, weights: bundle.tensors.listed, version: file.tensorFlowVersion,
      otherFiles: [(index, bundle.store)] + bundle.tensors.shards.map { ($0.path, $0.store) })
  }

  private static func bundle(
    _ path: String
  ) throws(WeighbridgeError) -> (tensors: TensorBundle, store: ByteStore) {
    do throws(WeighbridgeError) {
      let store = ByteStore(try MappedFile(path: path))
      return (try TensorBundle(store, path: path), store)
    } catch {
      guard error.code == .missing, error.place.file == nil else { throw error }
      throw WeighbridgeError(
        .missing,
        "\(error.reason); it is a part of the SavedModel, which lists the weights: copy the folder "
          + "as a whole"
      ).at(file: path)
    }
  }

  /// Opens a graph in which variables are constants. It has no signature: what nothing gives is an
  /// input, and what nothing reads is an output.
  private static func frozenGraph(_ store: ByteStore) throws(WeighbridgeError) -> TensorFlowFile {
    let graph = try store.withBytes { (bytes) throws(WeighbridgeError) in
      try TensorFlowGraph(bytes, 0..<bytes.byteCount)
    }
    return TensorFlowFile(
      formatName: "frozen graph", graph: graph, signatures: [TensorFlowSignature(of: graph)],
      context: TensorFlowContext(store: store) { _ in nil })
  }
}

extension TensorBundle {
  /// The elements of a tensor.
  fileprivate func tensor(_ name: String) throws(WeighbridgeError) -> Tensor {
    guard let entry = tensors[name] else {
      throw .malformed("has no tensor \(name), which the graph restores a variable from")
    }
    let type = try entry.type.requiredElementType()
    let (store, range) = try bytes(of: name)
    return try Tensor(type, shape: entry.shape, store: store, range: range)
  }

  /// The tensors of numbers, by their names.
  fileprivate var listed: [(name: String, type: TensorType)] {
    tensors.sorted { $0.key < $1.key }.compactMap { name, entry in
      entry.type.elementType.map { (name, TensorType($0, entry.shape)) }
    }
  }
}
