package import Bytes
package import ConversionCore
package import GraphIR
import KerasFormat
import LayerCatalog

/// A Keras file, and the file with its architecture if that is another one.
package struct KerasSource: Sendable {
  /// The files that were read, by role.
  package let files: [SourceFile]
  /// The file with the weights; `nil` for an architecture alone.
  let file: (any KerasModelFile)?
  /// The largest number of a weight's elements for an architecture alone.
  let zerosLimit: Int?
  let model: KerasModelRecord
  let version: KerasVersion?
  let backend: String?
  let custom: CustomLayerPolicy
  let inputShapes: [InputShape]
  /// Whether what the file does not say is an error.
  let isStrict: Bool
  /// Whether the model is read from its token ids on, without the layers that look strings up.
  private let startsAtTokens: Bool
  /// The file with the architecture, where it was not named but found next to the weights.
  private let foundArchitecture: String?
  let weightStorage: WeightStorage

  /// Opens the files.
  ///
  /// - Throws: What ``KerasFile`` and ``KerasArchitecture`` throw;
  ///   ``WeighbridgeError/Code/missing`` for weights with no architecture, or several, next to
  ///   them.
  package init(
    _ store: ByteStore, path: String, options: ReadOptions
  ) throws(WeighbridgeError) {
    let startsDigest = options.preparesWriting
    // First of all, since the digest of a large file takes longer than anything else.
    var source = SourceFile(role: "model", path: path, store: store, startsDigest: startsDigest)
    let file = try locating({ $0.at(file: path) }) { () throws(WeighbridgeError) in
      try Self.modelFile(store, path: path)
    }
    var origin = try Origin.find(of: file, path: path, options)
    origin.architecture.version = file.version ?? origin.architecture.version
    origin.architecture.backend = file.backend ?? origin.architecture.backend
    if origin.path != nil { source.role = "weights" }
    var files = [source]
    files += file.otherFiles.map {
      SourceFile(role: source.role, path: $0.path, store: $0.store, startsDigest: startsDigest)
    }
    if let path = origin.path {
      let store = try SourceFile.open(path)
      files.append(
        SourceFile(role: "architecture", path: path, store: store, startsDigest: startsDigest))
    }
    try self.init(
      origin.architecture, file, files, options,
      foundArchitecture: options.architecture == nil ? origin.path : nil,
      weightStorage: file.isInOrder ? .objects : origin.path == nil ? .list : .listApart)
  }

  /// Opens a file in one of the formats that Keras writes.
  static func modelFile(
    _ store: ByteStore, path: String
  ) throws(WeighbridgeError) -> any KerasModelFile {
    if store.withBytes({ TensorFlowJSFile.recognizes($0) }) {
      return try TensorFlowJSFile(store, path: path)
    }
    return store.withBytes { KerasTensorFlowFile.recognizes($0) }
      ? try KerasTensorFlowFile(store, path: path) : try KerasFile(store, path: path)
  }

  /// Opens an architecture, a `to_json` or `to_yaml` string, whose weights are in another file
  /// under the graph's names; they are zeros until then.
  ///
  /// - Throws: What ``KerasArchitecture`` throws.
  package init(architecture path: String, options: ReadOptions) throws(WeighbridgeError) {
    let file = SourceFile(
      role: "architecture", path: path, store: try SourceFile.open(path),
      startsDigest: options.preparesWriting)
    let architecture = try KerasArchitecture.read(path: path)
    try self.init(architecture, nil, [file], options, zerosLimit: options.deferredWeightLimit ?? 0)
  }

  /// Takes the architecture of a file whose weights cannot be read, in order to show it; the
  /// weights are zeros.
  init(
    _ model: KerasModelRecord, of fragment: KerasFragment, _ store: ByteStore, path: String,
    options: ReadOptions
  ) throws(WeighbridgeError) {
    var architecture = KerasArchitecture(model)
    architecture.version = fragment.version.flatMap(KerasVersion.init)
    architecture.backend = fragment.backend
    let file = SourceFile(role: "model", path: path, store: store, startsDigest: false)
    try self.init(architecture, nil, [file], options, zerosLimit: LayerSurvey.weightLimit)
  }

  private init(
    _ architecture: KerasArchitecture, _ file: (any KerasModelFile)?, _ files: [SourceFile],
    _ options: ReadOptions,
    zerosLimit: Int? = nil, foundArchitecture: String? = nil,
    weightStorage: WeightStorage = .objects
  ) throws(WeighbridgeError) {
    self.file = file
    self.zerosLimit = zerosLimit
    self.foundArchitecture = foundArchitecture
    self.weightStorage = weightStorage
    version = try options.kerasVersion.map(Self.parse) ?? architecture.version
    backend = options.kerasBackend ?? architecture.backend
    model = backend == "jax" ? architecture.model.narrowed() : architecture.model
    let (custom, customFile) = try CustomLayerPolicy.opened(options)
    self.custom = custom
    self.files = files + (customFile.map { [$0] } ?? [])
    inputShapes = options.inputShapes
    isStrict = options.strict
    startsAtTokens = options.fromTokenIDs
  }

  /// The source of the model's architecture.
  private struct Origin {
    var architecture: KerasArchitecture
    /// The file, when it is not the one with the weights.
    var path: String?

    /// Finds the user's architecture, else that of the file itself, else one next to it.
    static func find(
      of file: any KerasModelFile, path: String, _ options: ReadOptions
    ) throws(WeighbridgeError) -> Origin {
      if let given = options.architecture {
        _ = try SourceFile.open(given)
        let names = file.weightGroups.map(\.layerName)
        return Origin(
          architecture: try KerasArchitecture.read(path: given, layerNames: names), path: given)
      }
      if let own = file.model {
        return Origin(architecture: KerasArchitecture(own))
      }
      let found = try locating({ $0.at(file: path) }) { () throws(WeighbridgeError) in
        try ArchitectureSearch(nextTo: path, of: file).result()
      }
      return Origin(architecture: found.architecture, path: found.path)
    }
  }

  /// The size in bytes of the files with the weights.
  package var weightByteCount: Int { file?.weightByteCount ?? files[0].store.count }

  /// The name of the file's format.
  package var formatName: String { "keras \(file?.formatName ?? "architecture")" }

  /// Imports the model.
  ///
  /// - Throws: What ``KerasImporter`` throws, with the file's name.
  package func content() throws(WeighbridgeError) -> ModelContent {
    try locating(located) { () throws(WeighbridgeError) in
      var provenance = Provenance()
      if let foundArchitecture {
        provenance.decisions.append(
          Provenance.Decision(
            layer: "",
            text: "The file holds weights only; \(FilePath(foundArchitecture).name), which is "
              + "next to it, is taken for its architecture."))
      }
      let writer = KerasProducer(
        of: model, version: version, backend: backend,
        weightNames: file?.weightGroups.flatMap(\.weights).map(\.name) ?? []
      ) { provenance.decisions.append(Provenance.Decision(layer: "", text: $0)) }
      provenance.options = custom.options
      if !inputShapes.isEmpty {
        provenance.options["input-shape"] = InputShape.text(inputShapes)
      }
      if startsAtTokens { provenance.options["from-token-ids"] = "true" }
      let (model, tokens) = try tokens()
      // Checked first, since its error is more helpful than one about missing weights.
      provenance.decisions += try custom.check(
        model, Keras1Dialect(writer, model),
        weights: { try? file?.weightGroups(of: model, KerasMappings.parts) },
        surveyed: {
          KerasImporter.survey(
            model, writer: writer, weights: try? weights(), custom: custom,
            inputShapes: inputShapes)
        })
      let result = try KerasImporter.importModel(
        model, writer: writer, weights: try weights(), vocabularies: try vocabularies(),
        weightStorage: weightStorage, custom: custom,
        inputShapes: inputShapes, isStrict: isStrict, zerosLimit: zerosLimit)
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
      TokenInputs.describe(tokens, in: &content)
      try DescriptionEntries.apply(file?.customMetadata ?? [], .keras, to: &content)
      return content
    }
  }

  /// The model, which starts at the token ids when requested, and its token inputs.
  private func tokens() throws(WeighbridgeError) -> (KerasModelRecord, [TokenInputs.Input]) {
    let inputs = TokenInputs(model, file)
    if startsAtTokens { return try inputs.replaced() }
    if inputs.areNeeded, custom.options.isEmpty { throw inputs.missing }
    return (model, [])
  }

  /// Adds the file's name to an error, and the architecture's where it was found by search.
  private func located(_ error: WeighbridgeError) -> WeighbridgeError {
    guard let foundArchitecture else { return error.at(file: files[0].path) }
    return WeighbridgeError(
      error.code,
      error.reason
        + "\n(the architecture is \(foundArchitecture), which was found beside the file; "
        + "\(APIName.architecture) names another one)", place: error.place
    ).at(file: files[0].path)
  }

  private static func parse(_ text: String) throws(WeighbridgeError) -> KerasVersion {
    guard let version = KerasVersion(text) else {
      throw .mismatch("\(text) is not a version of Keras, such as 2.1.5")
    }
    return version
  }

  /// Returns the lines of the vocabularies in files of their own, by their layers' names.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` for a file that is of no layer.
  private func vocabularies() throws(WeighbridgeError) -> [String: [String]] {
    guard let file, !startsAtTokens else { return [:] }
    var result: [String: [String]] = [:]
    for group in try file.weightGroups(of: model, KerasMappings.parts) {
      result[group.layerName] = group.vocabulary
    }
    guard result.count >= file.vocabularyNames.count else {
      throw .malformed(
        "has vocabularies in \(file.vocabularyNames.joined(separator: ", ")), and only "
          + "\(result.count) of them belong to layers of the model")
    }
    return result
  }

  /// Returns the weights of the file, by their layers' names.
  func weights() throws(WeighbridgeError) -> [String: [KerasLayer.Weight]] {
    var result: [String: [KerasLayer.Weight]] = [:]
    guard let file else { return result }
    for group in try file.weightGroups(of: model, KerasMappings.parts) {
      var weights: [KerasLayer.Weight] = []
      for weight in group.weights {
        let (store, range) = try file.bytes(of: weight)
        let tensor = try Tensor(
          weight.elementType, shape: weight.shape, store: store, range: range)
        weights.append(
          KerasLayer.Weight(
            path: weight.path, tensor: tensor, name: weight.name, localName: weight.localName))
      }
      result[group.layerName] = weights
    }
    return result
  }
}
