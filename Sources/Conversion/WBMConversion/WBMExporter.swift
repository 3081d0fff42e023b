package import Bytes
package import ConversionCore
import Digests
import Dispatch
package import GraphIR
package import LayerCatalog
import TensorEncoding
import WBMFormat

/// Writes models as `.wbm` files.
package enum WBMExporter {
  /// Writes a model.
  ///
  /// Weights are transposed to row-major order and digested piece by piece while writing, by
  /// several threads; other threads compute the digests of the sources at the same time.
  ///
  /// - Parameters:
  ///   - content: The model.
  ///   - sources: The files that the model was read from, which replace the sources in the
  ///     provenance.
  ///   - path: The path of the file to write.
  ///   - replacing: Whether an existing file may be replaced.
  ///   - catalog: The operators that readers of the file know.
  ///   - cancellation: Checked between pieces and before the file is moved into place.
  /// - Returns: The weights with NaN or infinite elements, and the number of these elements, without
  ///   what the graph only chooses from.
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
    let (header, tensors) = try header(of: content)
    // A graph that could not be read back is not written.
    let graph = try header.graph.graph(tensors: tensors, catalog: catalog)
    _ = try header.quantization?.applied(to: graph)
    var writer = try WBMWriter(path: path, header: header)
    let counts = try TensorStream(stored(tensors), cancellation).write(to: &writer, after: digests)
    // The end of the process would wait for this; now it is done on another core.
    DispatchQueue.global().async {
      for source in sources { source.store.release(0..<source.store.count) }
    }
    // There is time for this while the digests are being computed.
    if !digests.allSatisfy(\.isDone) { try writer.syncTensors() }
    for (index, digest) in digests.enumerated() {
      content.provenance.sources[index].sha256 = try digest.value()
    }
    try writer.replaceProvenance(WBMProvenance(content.provenance))
    try cancellation.check()
    for source in sources { try source.store.checkUnchanged() }
    try tensors.checkSourcesUnchanged()
    try writer.commit(replacing: replacing)
    guard counts.contains(where: { $0 > 0 }) else { return [] }
    let choices = content.graph.choices
    return zip(content.graph.storedWeights, zip(header.tensors, counts))
      .filter { !choices.contains($0) && $1.1 > 0 }.map { (name: $1.0.name, count: $1.1) }
  }

  /// The tensors as they are stored: encoded ones become their encoded bytes.
  private static func stored(_ tensors: [Tensor]) throws(WeighbridgeError) -> [Tensor] {
    try tensors.map { (tensor) throws(WeighbridgeError) in
      guard let elements = tensor.encodedElements else { return tensor }
      return try Tensor(
        .uint8, shape: [elements.byteCount], store: elements.store, range: elements.range)
    }
  }

  /// The header of a model, and its tensors in the order of the header's table: the weights, then
  /// the reference arrays.
  ///
  /// - Throws: ``WeighbridgeError/Code/damaged`` for encoded elements that cannot be decoded.
  static func header(
    of content: ModelContent
  ) throws(WeighbridgeError) -> (WBMHeader, [Tensor]) {
    var header = WBMHeader()
    header.graph = WBMGraph(content.graph)
    header.description = WBMDescription(content.description)
    header.provenance = WBMProvenance(content.provenance)
    var tensors: [Tensor] = []
    func add(_ tensor: Tensor, _ name: String) throws(WeighbridgeError) {
      var tensor = tensor
      let elements = tensor.storedElements
      // If the axes have been transposed, the elements are encoded anew.
      if let elements, tensor.encodedElements == nil { tensor = try Tensor(elements) }
      tensors.append(tensor)
      guard let elements else {
        header.tensors.append(
          WBMTensor(name: name, elementType: tensor.elementType, shape: tensor.shape))
        return
      }
      let digest = tensor.store.withBytes { XXH3Digest(of: $0) }
      try tensor.store.checkUnchanged()
      header.tensors.append(WBMTensor(name: name, elements, decodedDigest: digest))
    }
    for value in content.graph.storedWeights.map({ content.graph[$0] }) {
      guard let tensor = value.constant else { continue }
      try add(tensor, value.name)
    }
    for (index, set) in content.references.enumerated() {
      func named(
        _ entries: [ReferenceSet.Entry], _ kind: String
      ) throws(WeighbridgeError) -> [WBMNamedTensor] {
        try entries.map { (entry) throws(WeighbridgeError) in
          try add(entry.tensor, "reference \(index) \(kind) \(entry.name)")
          return WBMNamedTensor(name: entry.name, tensor: tensors.count - 1)
        }
      }
      var record = WBMReferenceSet()
      record.by = set.author
      record.inputs = try named(set.inputs, "input")
      record.outputs = try named(set.outputs, "output")
      record.layerOutputs = try named(set.layers, "layer")
      record.tolerance = WBMTolerance(set.tolerance, source: .init(matching: set.toleranceSource))
      header.references.append(record)
    }
    header.compaction = content.compaction.map {
      WBMCompaction($0, header.tensors, outputs: content.graph.outputs.map(\.name))
    }
    header.quantization = WBMQuantization(content.graph)
    return (header, tensors)
  }

  private static func baseName(_ path: String) -> String {
    String(path.split(whereSeparator: "/\\".contains).last ?? "")
  }
}
