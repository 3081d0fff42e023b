package import Bytes
package import GraphIR
package import LayerCatalog
import TensorEncoding
package import WBMFormat

/// A model read from a `.wbm` file.
package struct WBMModel: Sendable {
  /// The mapped file.
  package let file: WBMFile
  /// The model; its tensors are views of the mapped file.
  package let content: ModelContent
  /// The types of the graph's values as stored in the file; those in the graph are inferred again.
  package let storedTypes: [TensorType]

  /// Reads a model.
  ///
  /// - Parameters:
  ///   - path: The name of the file in errors.
  ///   - catalog: The operators that the nodes may name.
  /// - Throws: ``WeighbridgeError/Code/malformed``, ``WeighbridgeError/Code/damaged``,
  ///   ``WeighbridgeError/Code/truncated``, ``WeighbridgeError/Code/unsupported``,
  ///   ``WeighbridgeError/Code/limitExceeded``.
  package init(
    _ store: ByteStore, path: String, catalog: Catalog = .standard
  ) throws(WeighbridgeError) {
    let file = try WBMFile(store, path: path)
    self.file = file
    (content, storedTypes) = try locating({ $0.at(file: path) }) { () throws(WeighbridgeError) in
      try Self.read(file, catalog)
    }
  }

  private static func read(
    _ file: WBMFile, _ catalog: Catalog
  ) throws(WeighbridgeError) -> (ModelContent, [TensorType]) {
    let header = file.header
    var tensors: [Tensor] = []
    for (index, record) in header.tensors.enumerated() {
      tensors.append(
        record.encoding == .plain
          ? try Tensor(
            record.elementType, shape: record.shape, store: file.store,
            range: file.range(ofTensor: index))
          : try Tensor(file.encodedElements(ofTensor: index)) { () throws(WeighbridgeError) in
            try file.decodedElements(ofTensor: index)
          })
    }
    var graph = try header.graph.graph(tensors: tensors, catalog: catalog)
    if let quantization = header.quantization { graph = try quantization.applied(to: graph) }
    let entries = { (named: [WBMNamedTensor]) in
      named.map { ReferenceSet.Entry(name: $0.name, tensor: tensors[$0.tensor]) }
    }
    let references = header.references.map { set in
      ReferenceSet(
        author: set.by, inputs: entries(set.inputs), outputs: entries(set.outputs),
        layers: entries(set.layerOutputs),
        tolerance: set.tolerance.described, toleranceSource: .init(matching: set.tolerance.source))
    }
    let content = ModelContent(
      graph: graph, description: header.description.description(of: graph),
      provenance: header.provenance.described, references: references,
      compaction: header.compaction.map { $0.described(header.tensors) })
    // The graph's values are in a different order than the file's, so they are matched by name.
    var stored: [String: TensorType] = [:]
    for (value, type) in zip(header.graph.values, header.graph.valueTypes) {
      stored[value.name] = type
    }
    return (content, graph.values.map { stored[$0.name] ?? $0.type })
  }

  /// Computes the digests of all bytes again and describes every mismatch.
  package func integrityProblems() throws(WeighbridgeError) -> [String] {
    file.damage().map(file.sentence)
  }

  /// Writes a copy of the file with another description; the system copies the tensors.
  ///
  /// - Parameter tolerance: An author's tolerance for all reference sets; if `nil`, each set keeps
  ///   its own.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` for a tolerance if there are no reference sets,
  ///   or if it is negative or not finite; ``WeighbridgeError/Code/outputFailed``.
  package func rewrite(
    to path: String, description: ModelDescription, tolerance: Tolerance? = nil, replacing: Bool
  ) throws(WeighbridgeError) {
    guard tolerance == nil || !file.header.references.isEmpty else {
      throw .mismatch("has no reference outputs to which a tolerance applies")
    }
    let record = WBMDescription(description, replacing: file.header.description)
    try file.rewrite(
      to: path, description: record,
      tolerance: tolerance.map { WBMTolerance($0, source: .author) }, replacing: replacing)
  }
}
