package import Bytes

extension WBMFile {
  /// Writes the file with another description and, if given, another provenance and another
  /// tolerance of the reference sets.
  ///
  /// The tensors are copied by the system, without being decoded or digested again; the version and
  /// the schema remain those of this file.
  ///
  /// - Parameters:
  ///   - path: The new file's path, which may be that of this file.
  ///   - replacing: Whether an existing file may be replaced.
  /// - Throws: ``WeighbridgeError/Code/malformed`` when the description does not fit the graph,
  ///   ``WeighbridgeError/Code/unsupported`` when a string contains a NUL,
  ///   ``WeighbridgeError/Code/outputFailed``.
  package func rewrite(
    to path: String, description: WBMDescription, provenance: WBMProvenance? = nil,
    tolerance: WBMTolerance? = nil, replacing: Bool
  ) throws(WeighbridgeError) {
    var header = header
    header.description = description
    if let provenance { header.provenance = provenance }
    if let tolerance {
      for index in header.references.indices { header.references[index].tolerance = tolerance }
    }
    let offset: Int
    (header, offset) = try WBMHeaderWriting.prepared(header)
    var file = try AtomicFile(path: path)
    file.skip(offset)
    try file.append(tensorDataOffset..<store.count, of: store)
    try WBMHeaderWriting.writeHeader(header, version: version, tensorDataOffset: offset, to: file)
    try store.checkUnchanged()
    try file.commit(replacing: replacing)
  }
}
