import ArrayConversion
package import Bytes
package import ConversionCore
package import GraphIR
import JSON
import KerasConversion
import KerasFormat
import PyTorchConversion
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
  /// For tensors of PyTorch, the names of the architecture's weights that the user gave.
  private let weightNames: [String: String]

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
    weightNames = try options.weightNames.map(Self.names) ?? [:]
    var options = options
    options.architecture = nil
    options.weightNames = nil
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

  /// Reads a JSON object of names.
  private static func names(_ path: String) throws(WeighbridgeError) -> [String: String] {
    try locating({ $0.at(file: path) }) { () throws(WeighbridgeError) in
      let text = try SourceFile.open(path).withBytes { $0.copied(0..<$0.byteCount) }
      guard let object = try JSONValue(parsing: text).object else {
        throw .malformed("is no JSON object, expected the names of tensors with those of weights")
      }
      var names: [String: String] = [:]
      for key in object.keys {
        guard let name = object[key]?.string else {
          throw .malformed("has no text for \(key), expected the name of a weight")
        }
        names[key] = name
      }
      return names
    }
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
      var weights = file.weights
      let names = Set(content.graph.weights.map(\.name))
      if file.format == .pytorch || !weightNames.isEmpty
        || file.format == .safetensors && !weights.allSatisfy({ names.contains($0.name) })
      {
        let found = try PyTorchWeightNames(
          weights, of: content, names: weightNames)
        weights = found.weights
        content.provenance.decisions += (file.notes + [found.decision]).map {
          .init(layer: "", text: $0)
        }
      }
      content.graph = try content.graph.replacingWeights(weights)
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
