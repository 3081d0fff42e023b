package import Bytes
package import GraphIR
import KerasFormat
import LayerCatalog

/// A Keras file, and the one with its architecture if that is another.
package struct KerasSource: Sendable {
  /// The files that were read, by role.
  package let files: [SourceFile]
  /// The file with the weights; `nil` for an architecture alone.
  private let file: KerasFile?
  /// The most elements that a weight of an architecture alone may have.
  private var zerosLimit: Int?
  private let model: KerasModelRecord
  private let version: KerasVersion?
  private let backend: String?
  private let custom: CustomLayerPolicy

  /// Opens the files.
  ///
  /// - Throws: As ``KerasFile`` and ``KerasArchitecture``;
  ///   ``WeighbridgeError/Code/missing`` for weights without an architecture.
  package init(
    _ store: ByteStore, path: String, options: ReadOptions
  ) throws(WeighbridgeError) {
    let starts = options.preparesWriting
    let digested = SourceFile(
      role: options.architecture == nil ? "model" : "weights", path: path, store: store,
      startsDigest: starts)
    let file = try locating({ $0.at(file: path) }) { () throws(WeighbridgeError) in
      try KerasFile(store, path: path)
    }
    self.file = file
    var version = file.version
    var backend = file.backend
    var files = [digested]
    if let architecturePath = options.architecture {
      let architecture = try KerasArchitecture.read(
        path: architecturePath, layerNames: file.weightGroups.map(\.layerName))
      model = architecture.model
      version = version ?? architecture.version
      backend = backend ?? architecture.backend
      let store = ByteStore(try MappedFile(path: architecturePath))
      files.append(
        SourceFile(
          role: "architecture", path: architecturePath, store: store, startsDigest: starts))
    } else if let model = file.model {
      self.model = model
    } else {
      throw WeighbridgeError(
        .missing,
        "holds weights only; give the architecture with --architecture (a to_json file, or an "
          + ".h5 or .keras of the same network)"
      ).at(file: path)
    }
    self.version = try options.kerasVersion.map(Self.parse) ?? version
    self.backend = options.kerasBackend ?? backend
    let (custom, customFile) = try CustomLayerPolicy.opened(options)
    if let customFile { files.append(customFile) }
    self.custom = custom
    self.files = files
  }

  /// Opens an architecture, a `to_json` text, whose weights another file has by the graph's names;
  /// they are zeros until then.
  ///
  /// - Throws: As ``KerasArchitecture``.
  init(architecture path: String, options: ReadOptions) throws(WeighbridgeError) {
    let architecture = try KerasArchitecture.read(path: path)
    file = nil
    zerosLimit = options.laterWeightLimit ?? 0
    model = architecture.model
    version = try options.kerasVersion.map(Self.parse) ?? architecture.version
    backend = options.kerasBackend ?? architecture.backend
    var files = [
      SourceFile(
        role: "architecture", path: path, store: ByteStore(try MappedFile(path: path)),
        startsDigest: options.preparesWriting)
    ]
    let (custom, customFile) = try CustomLayerPolicy.opened(options)
    if let customFile { files.append(customFile) }
    self.custom = custom
    self.files = files
  }

  /// How the file is built, in words.
  package var formatName: String { "keras \(file?.container.rawValue ?? "architecture")" }

  /// Imports the model.
  ///
  /// - Throws: As ``KerasImporter``, with the file's name.
  package func content() throws(WeighbridgeError) -> ModelContent {
    try locating({ $0.at(file: files[0].path) }) { () throws(WeighbridgeError) in
      var provenance = Provenance()
      let writer = KerasWriter(
        of: model, version: version, backend: backend,
        weightNames: file?.weightGroups.flatMap(\.weights).map(\.name) ?? []
      ) { provenance.decisions.append(Provenance.Decision(layer: "", text: $0)) }
      provenance.options = custom.options
      // Says more than what their weights may miss.
      provenance.decisions += try custom.check(model, Keras1Dialect(writer, model)) {
        try? file?.weightGroups(of: model)
      }
      let result = try KerasImporter.importModel(
        model, writer: writer, weights: try weights(), custom: custom, zerosLimit: zerosLimit)
      provenance.framework = "keras"
      provenance.frameworkVersion = version?.description
      provenance.backend = backend
      provenance.decisions += result.decisions
      var description = ModelDescription(
        inputs: result.graph.inputs.map { .init(name: $0.name) },
        outputs: result.graph.outputs.map { .init(name: $0.name) })
      description.name = model.name
      var content = ModelContent(
        graph: result.graph, description: description, provenance: provenance)
      try DescriptionEntries.apply(file?.texts ?? [], .keras, to: &content)
      return content
    }
  }

  private static func parse(_ text: String) throws(WeighbridgeError) -> KerasVersion {
    guard let version = KerasVersion(text) else {
      throw WeighbridgeError(.mismatch, "\(text) is not a version of Keras, such as 2.1.5")
    }
    return version
  }

  private func weights() throws(WeighbridgeError) -> [String: [KerasLayer.Weight]] {
    var result: [String: [KerasLayer.Weight]] = [:]
    guard let file else { return result }
    for group in try file.weightGroups(of: model) {
      var weights: [KerasLayer.Weight] = []
      for weight in group.weights {
        let (store, range) = try file.bytes(of: weight)
        let tensor = try Tensor(
          weight.elementType, shape: weight.shape, store: store, range: range)
        weights.append(KerasLayer.Weight(path: weight.path, tensor: tensor))
      }
      result[group.layerName] = weights
    }
    return result
  }
}
