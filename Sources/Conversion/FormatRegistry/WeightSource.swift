import ArrayConversion
package import Bytes
package import ConversionCore
package import GraphIR
import KerasConversion
import KerasFormat
import SafetensorsFormat

/// A file of named weights, and the model that they belong to.
package struct WeightSource: ModelSource {
  package static let format = "a file of weights"
  /// The applicable options depend on the architecture, and are checked when it is read.
  package static let options = Set(APIName.allCases)

  /// The files that were read, the one with the weights first.
  package let files: [SourceFile]
  package var formatName: String { file.format.rawValue }
  /// Whether the file may have metadata in addition to the arrays.
  var holdsMetadata: Bool { file.format == .safetensors }
  private let file: WeightFile
  private let architecture: ModelContent

  package static func recognizes(_ bytes: RawSpan) -> Bool { WeightFile.recognizes(bytes) }

  /// Opens the files.
  ///
  /// - Throws: What ``WeightFile`` and ``ModelReader`` throw; ``WeighbridgeError/Code/missing``
  ///   when no architecture is given.
  package init(
    reading store: ByteStore, path: String, options: ReadOptions
  ) throws(WeighbridgeError) {
    file = try WeightFile(store, path: path)
    guard let architecture = options.architecture else {
      throw .missing(
        "holds weights only; give a model of the same network with \(APIName.architecture) (a Keras file, a "
          + "to_json or to_yaml text, a .cfg or a .wbm)"
      ).at(file: path)
    }
    var options = options
    options.architecture = nil
    options.deferredWeightLimit = file.weights.reduce(0) { $0 + $1.tensor.count }
    let (content, additionalFiles) = try Self.read(architecture, options)
    self.architecture = content
    let startsDigest = options.preparesWriting
    files =
      [
        SourceFile(role: "weights", path: path, store: store, startsDigest: startsDigest),
        SourceFile(
          role: "architecture", path: architecture,
          store: ByteStore(try MappedFile(path: architecture)), startsDigest: startsDigest),
      ] + additionalFiles
  }

  /// Reads the architecture.
  ///
  /// - Returns: The model, and the additional files that it was read from.
  private static func read(
    _ path: String, _ options: ReadOptions
  ) throws(WeighbridgeError) -> (ModelContent, [SourceFile]) {
    let mainRoles: Set<String> = ["model", "architecture", "weights"]
    let start = try SourceFile.open(path).withBytes { $0.copied(0..<min(4096, $0.byteCount)) }
    if KerasArchitecture.recognizes(start) {
      try locating({ $0.at(file: path) }) { () throws(WeighbridgeError) in
        try options.check(for: KerasSource.self)
      }
      let source = try KerasSource(architecture: path, options: options)
      return (try source.content(), source.files.filter { !mainRoles.contains($0.role) })
    }
    let model = try ModelReader.read(path, options: options)
    return (model.content, model.source.files.filter { !mainRoles.contains($0.role) })
  }

  /// Returns the architecture with these weights and their file's description.
  ///
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when weights are missing or surplus, or have
  ///   another shape or type; a narrower float is converted to the architecture's type, which
  ///   represents it exactly.
  package func content() throws(WeighbridgeError) -> ModelContent {
    try locating({ $0.at(file: files[0].path) }) { () throws(WeighbridgeError) in
      var content = architecture
      content.graph = try content.graph.replacingWeights(file.weights)
      content.references = []  // they were computed with the weights of the architecture
      try DescriptionEntries.apply(file.metadata, .safetensors, to: &content)
      return content
    }
  }

  /// Returns the tensors of a safetensors file.
  package static func outline(
    of store: ByteStore, path: String, options: ReadOptions
  ) -> ModelOutline? {
    guard options.readsFileOnly, let fragment = store.withBytes({ SafetensorsFragment($0) }) else {
      return nil
    }
    var outline = ModelOutline(format: "safetensors", byteCount: store.count)
    for tensor in fragment.tensors {
      if let type = tensor.elementType {
        outline.weights.append((tensor.name, TensorType(type, tensor.shape)))
      } else {
        outline.notes.append(
          "\(tensor.name): \(tensor.typeName) \(tensor.shape), a type that is not read")
      }
    }
    return outline
  }
}
