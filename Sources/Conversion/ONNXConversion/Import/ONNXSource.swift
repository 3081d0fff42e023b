package import Bytes
package import ConversionCore
package import GraphIR
import LayerCatalog
import ONNXFormat

/// An ONNX file, along with the external files that hold elements of its weights.
package struct ONNXSource: Sendable {
  /// The files that were read, with their roles.
  package private(set) var files: [SourceFile]
  let file: ONNXFile
  let model: ONNXModel
  private let path: String
  let options: ReadOptions

  /// The version of ONNX's operator set.
  package var opset: Int { model.opset }

  /// Opens the file.
  ///
  /// - Throws: What ``ONNXFile`` throws, with the file's name;
  ///   ``WeighbridgeError/Code/unsupported`` for a file with operators of sets other than ONNX's
  ///   own, unless it is only inspected. The broken parts of an inspected file are left out.
  package init(
    _ store: ByteStore, path: String, options: ReadOptions, isInspectionOnly: Bool = false
  ) throws(WeighbridgeError) {
    self.path = path
    self.options = options
    (file, model) = try locating({ $0.at(file: path) }) { () throws(WeighbridgeError) in
      do throws(WeighbridgeError) {
        let file = try ONNXFile(store)
        if !isInspectionOnly { try ONNXUnsupportedOperators.checkDomains(file.outline) }
        return (file, try ONNXFunctionInlining.inlined(file.model()))
      } catch {
        guard isInspectionOnly, let file = ONNXFile(fragmentOf: store) else { throw error }
        return (file, file.fragment())
      }
    }
    files = [
      SourceFile(role: "model", path: path, store: store, startsDigest: options.preparesWriting)
    ]
  }

  /// Imports the model.
  ///
  /// - Throws: What ``ONNXImporter`` throws, with the file's name;
  ///   ``WeighbridgeError/Code/missing`` when a file with weights is missing.
  package mutating func content() throws(WeighbridgeError) -> ModelContent {
    let stores = try openExternalData()
    let (file, model, path, options) = (file, model, path, options)
    return try locating({ $0.at(file: path) }) { () throws(WeighbridgeError) in
      var importer = ONNXImporter(model, stated: ONNXStatedInputs(options)) {
        (tensor) throws(WeighbridgeError) in
        try Self.read(tensor, file.store, stores)
      }
      let result = try importer.run()
      var provenance = ONNXMetadata.provenance(model)
      provenance.decisions = result.decisions
      if !options.inputShapes.isEmpty {
        provenance.options["input-shape"] = InputShape.text(options.inputShapes)
      }
      provenance.decisions += file.ignored.map {
        .init(layer: "", text: "\($0) is in the file, which is for training, and not read")
      }
      var content = ModelContent(
        graph: result.graph, description: ModelDescription(), provenance: provenance)
      try ONNXMetadata.describe(&content, model, detector: result.detector)
      return content
    }
  }

  /// Opens the external files that tensors refer to, which are in the model's folder.
  mutating func openExternalData() throws(WeighbridgeError) -> [String: ByteStore] {
    var stores: [String: ByteStore] = [:]
    for name in model.graph.externalFileNames {
      let filePath = FilePath(path).sibling(name)
      let store = ByteStore(try MappedFile(path: filePath))
      stores[name] = store
      files.append(
        SourceFile(
          role: "weights", path: filePath, store: store, startsDigest: options.preparesWriting))
    }
    return stores
  }

  /// Reads a tensor whose elements are in the file or in an external one.
  static func read(
    _ tensor: ONNXInitializer, _ store: ByteStore, _ externalStores: [String: ByteStore]
  ) throws(WeighbridgeError) -> Tensor {
    guard let type = tensor.narrowType else { return try stored(tensor, store, externalStores) }
    let count = try Checked.product(tensor.shape, of: "the size of a tensor")
    var bytes = tensor
    (bytes.elementType, bytes.shape) = (.uint8, [type.byteCount(of: count)])
    let packed = try stored(bytes, store, externalStores).contiguousBytes()
    return Tensor(
      tensor.elementType, shape: tensor.shape, bytes: type.unpacked(packed, count: count))
  }

  private static func stored(
    _ tensor: ONNXInitializer, _ store: ByteStore, _ externalStores: [String: ByteStore]
  ) throws(WeighbridgeError) -> Tensor {
    switch tensor.elements {
    case .embedded(let range)?:
      return try Tensor(tensor.elementType, shape: tensor.shape, store: store, range: range)
    case .unpacked(let bytes)?:
      return try Tensor(
        tensor.elementType, shape: tensor.shape, store: ByteStore(bytes), range: 0..<bytes.count)
    case .external(let name, let offset)?:
      let size = try Checked.product(
        tensor.shape + [tensor.elementType.byteCount], of: "the size of a tensor")
      guard let externalStore = externalStores[name], offset <= externalStore.count,
        size <= externalStore.count - offset
      else {
        throw .malformed(
          "its \(size) bytes from byte \(offset) on are not in \(name), which has "
            + "\(externalStores[name]?.count ?? 0)")
      }
      return try Tensor(
        tensor.elementType, shape: tensor.shape, store: externalStore,
        range: offset..<offset + size)
    case nil:
      throw .malformed("it has no elements, and a tensor needs them in its file or beside it")
    }
  }
}

extension ONNXGraph {
  /// The external files that hold elements, including those of bodies and attributes; each once, in
  /// order of first use.
  fileprivate var externalFileNames: [String] {
    var names: [String] = []
    var visited: Set<String> = []
    for tensor in tensors {
      guard case .external(let name, _)? = tensor.elements, visited.insert(name).inserted else {
        continue
      }
      names.append(name)
    }
    return names
  }

  /// All tensors in the graph and in the bodies in it.
  private var tensors: [ONNXInitializer] {
    var tensors: [ONNXInitializer] = []
    var graphs = [self]
    while let graph = graphs.popLast() {
      tensors += graph.initializers
      for case (_, let value) in graph.nodes.flatMap(\.attributes) {
        switch value {
        case .tensor(let tensor): tensors.append(tensor)
        case .graph(let body): graphs.append(body)
        default: break
        }
      }
    }
    return tensors
  }
}
