package import Bytes
package import ConversionCore
import Digests
package import GraphIR
package import LayerCatalog
import WBMFormat

/// Writes models as `.wbm` files.
package enum WBMExporter {
  /// Writes a model.
  ///
  /// Weights are turned into their canonical order and digested piece by piece on the way, by
  /// several threads; the sources' digests are computed by others meanwhile.
  ///
  /// - Parameters:
  ///   - content: The model.
  ///   - sources: The files it was made of; they replace what the provenance says of sources.
  ///   - path: Where the file goes.
  ///   - replacing: Whether a file of that name may be replaced.
  ///   - catalog: The operators that the file's readers know.
  ///   - cancellation: Looked at between pieces, and before the file is put in place.
  /// - Returns: The weights with NaN or infinite elements, and how many.
  /// - Throws: ``WeighbridgeError/Code/outputFailed``, ``WeighbridgeError/Code/cancelled``;
  ///   ``WeighbridgeError/Code/malformed`` for a graph that a reader would refuse.
  package static func write(
    _ content: ModelContent, sources: [SourceFile], to path: String, replacing: Bool,
    catalog: Catalog = .standard, cancellation: Cancellation? = nil
  ) throws(WeighbridgeError) -> [(name: String, count: Int)] {
    var content = content
    let digests = sources.map { $0.digest ?? PendingDigest(sha256Of: $0.store) }
    if !sources.isEmpty {
      content.provenance.sources = sources.map {
        Provenance.Source(
          fileName: baseName($0.path), role: $0.role, byteCount: $0.store.count,
          sha256: [UInt8](repeating: 0, count: 32))
      }
    }
    let (header, tensors) = header(of: content)
    // What cannot be read is not written.
    _ = try header.graph.graph(tensors: tensors, catalog: catalog)
    var writer = try WBMWriter(path: path, header: header)
    let counts = try TensorStream(tensors, cancellation).write(to: &writer, after: digests)
    if !digests.allSatisfy(\.isDone) { try writer.syncTensors() }  // the time is there anyway
    for (index, digest) in digests.enumerated() {
      content.provenance.sources[index].sha256 = try digest.value()
    }
    try writer.replaceProvenance(WBMProvenance(content.provenance))
    try cancellation.check()
    for source in sources { try source.store.checkUnchanged() }
    try tensors.checkSourcesUnchanged()
    try writer.commit(replacing: replacing)
    return zip(header.tensors, counts).prefix(content.graph.storedWeights.count)
      .filter { $0.1 > 0 }.map { (name: $0.0.name, count: $0.1) }
  }

  /// The header of a model, and its tensors in the order of the header's table: the weights, then
  /// the reference arrays.
  static func header(of content: ModelContent) -> (WBMHeader, [Tensor]) {
    var (records, tensors) = ([WBMTensor](), [Tensor]())
    for value in content.graph.storedWeights.map({ content.graph[$0] }) {
      guard let tensor = value.constant else { continue }
      tensors.append(tensor)
      records.append(
        WBMTensor(name: value.name, elementType: tensor.elementType, shape: tensor.shape))
    }
    var references: [WBMReferenceSet] = []
    for (number, set) in content.references.enumerated() {
      let add = { (entries: [ReferenceSet.Entry], kind: String) in
        entries.map { entry in
          tensors.append(entry.tensor)
          records.append(
            WBMTensor(
              name: "reference \(number) \(kind) \(entry.name)",
              elementType: entry.tensor.elementType, shape: entry.tensor.shape))
          return WBMNamedTensor(name: entry.name, tensor: tensors.count - 1)
        }
      }
      references.append(
        WBMReferenceSet(
          by: set.author, inputs: add(set.inputs, "input"), outputs: add(set.outputs, "output"),
          layerOutputs: add(set.layers, "layer"), tolerance: WBMTolerance(set)))
    }
    let header = WBMHeader(
      graph: WBMGraph(content.graph), tensors: records,
      description: WBMDescription(content.description),
      provenance: WBMProvenance(content.provenance), references: references)
    return (header, tensors)
  }

  private static func baseName(_ path: String) -> String {
    String(path.split(whereSeparator: "/\\".contains).last ?? "")
  }
}

extension WBMTolerance {
  fileprivate init(_ set: ReferenceSet) {
    self.init(
      absolute: set.tolerance.absolute, relative: set.tolerance.relative,
      source: set.toleranceSource == .standard ? .standard : .author)
  }
}
