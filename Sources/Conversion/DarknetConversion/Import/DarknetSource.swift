package import Bytes
package import ConversionCore
import DarknetFormat
package import GraphIR

/// A `.cfg` file with the files that belong to it: weights, labels, a tree of classes.
package struct DarknetSource: Sendable {
  /// The files that were read, by role.
  package private(set) var files: [SourceFile]
  private let path: String
  let configuration: DarknetConfiguration
  let options: ReadOptions
  private let weights: SourceFile?
  private(set) var trees: [String: DarknetTree] = [:]

  /// Opens the files.
  ///
  /// - Throws: What ``DarknetConfiguration`` throws; ``WeighbridgeError/Code/missing`` when there
  ///   are no weights and none are to be generated. With `isInspectionOnly`,
  ///   invalid lines are skipped.
  package init(
    _ store: ByteStore, path: String, options: ReadOptions, isInspectionOnly: Bool = false
  ) throws(WeighbridgeError) {
    let startsDigest = options.preparesWriting
    self.path = path
    self.options = options
    configuration = try locating({ $0.at(file: path) }) { () throws(WeighbridgeError) in
      do throws(WeighbridgeError) {
        return try DarknetConfiguration(store)
      } catch {
        guard isInspectionOnly, let fragment = DarknetConfiguration(fragmentOf: store) else {
          throw error
        }
        return fragment
      }
    }
    files = [SourceFile(role: "model", path: path, store: store, startsDigest: startsDigest)]
    weights = try Self.weights(path, configuration, options)
    if let weights { files.append(weights) }
    try openTrees()
  }

  /// Opens the weights: the given file, or the `.weights` file next to the `.cfg`.
  private static func weights(
    _ path: String, _ configuration: DarknetConfiguration, _ options: ReadOptions
  ) throws(WeighbridgeError) -> SourceFile? {
    if options.deferredWeightLimit != nil { return nil }
    guard options.randomWeights == nil else {
      guard options.weights == nil else {
        throw .mismatch("\(APIName.weights) and \(APIName.randomWeights) exclude each other")
      }
      return nil
    }
    let weightsPath = options.weights ?? FilePath(path).replacingExtension("weights")
    let store: ByteStore
    do throws(WeighbridgeError) {
      store = try SourceFile.open(weightsPath)
    } catch {
      guard options.weights == nil, error.code == .missing else { throw error }
      throw try DarknetMissingFile(options).weights(
        of: path, configuration, expected: weightsPath)
    }
    return SourceFile(
      role: "weights", path: weightsPath, store: store, startsDigest: options.preparesWriting)
  }

  /// Reads the trees that sections name. A section refuses a missing one unless the weights are
  /// random.
  private mutating func openTrees() throws(WeighbridgeError) {
    for option in configuration.sections.flatMap(\.options)
    where option.key == "tree" && trees[option.value] == nil && !option.value.isEmpty {
      guard let found = FilePath(path).candidates(for: option.value).first(where: FilePath.isFile)
      else { continue }
      let store = ByteStore(try MappedFile(path: found))
      trees[option.value] = try locating({ $0.at(file: found) }) { () throws(WeighbridgeError) in
        try DarknetTree(store)
      }
      files.append(
        SourceFile(
          role: "tree", path: found, store: store, startsDigest: options.preparesWriting))
    }
  }

  /// Imports the model, and adds the file with the labels to ``files``.
  ///
  /// - Throws: What ``DarknetImporter`` throws, with the path of the file.
  package mutating func content() throws(WeighbridgeError) -> ModelContent {
    let (fork, decision, result) = try importModel()
    var provenance = Provenance()
    provenance.framework = "darknet"
    provenance.options["darknet"] = fork.rawValue
    if let seed = options.randomWeights { provenance.options["random-weights"] = String(seed) }
    provenance.decisions = [.init(layer: "", text: decision)] + result.decisions
    if let weights {
      provenance.frameworkVersion = try? DarknetWeightsHeader(weights.store, fork: fork).version
    } else if options.deferredWeightLimit == nil {
      provenance.decisions.append(
        .init(layer: "", text: "the weights are random numbers: what it computes means nothing"))
    }
    var builder = DarknetDescription(result, fork: fork)
    var description = builder.description()
    provenance.decisions += builder.decisions
    description.name = FilePath(path).stem
    let labels = try DarknetLabels(path, classCount: builder.classCount, options)
    description.labels = labels.labels
    if let file = labels.file { files.append(file) }
    provenance.decisions += labels.decisions.map { .init(layer: "", text: $0) }
    return ModelContent(graph: result.graph, description: description, provenance: provenance)
  }

  /// Imports the model as the fork that fits, and returns the reason for that choice.
  private func importModel() throws(WeighbridgeError) -> (
    fork: DarknetFork, decision: String, result: DarknetImporter.Result
  ) {
    let choice = DarknetForkChoice(configuration, given: options.darknet)
    do throws(WeighbridgeError) {
      return (choice.fork, choice.decision, try importModel(choice.fork))
    } catch {
      let fork = choice.fork.other
      guard !choice.isKnown, let result = try? importModel(fork) else { throw explained(error) }
      return (
        fork,
        "read as \(fork.title) means it, since \(choice.fork.title) refuses it: \(error.reason)",
        result
      )
    }
  }

  /// Adds to an error about weights that do not fit which file in the same folder does.
  private func explained(_ error: WeighbridgeError) -> WeighbridgeError {
    guard case .byte = error.place.position, let weights,
      let fitting = DarknetFilePairs(options: options).fitting(
        path, configuration, weights.path, weights.store)
    else { return error }
    return WeighbridgeError(error.code, "\(error.reason); \(fitting)", place: error.place)
  }

  private func importModel(_ fork: DarknetFork) throws(WeighbridgeError) -> DarknetImporter.Result {
    let importer = DarknetImporter(
      configuration: configuration, fork: fork, isStrict: options.strict, trees: trees)
    let supply = try supply(fork)
    do throws(WeighbridgeError) {
      if supply.isRandom {
        // Random weights are generated only if their number is within limits and they are needed.
        let architecture = try importer.run(.countingRandom())
        if options.deferredWeightLimit != nil { return architecture }
      }
      return try importer.run(supply)
    } catch {
      // An error with a byte offset comes from the weights file.
      guard case .byte = error.place.position, let weights else { throw error.at(file: path) }
      throw error.at(file: weights.path)
    }
  }

  /// The weights, from the file or random.
  private func supply(_ fork: DarknetFork) throws(WeighbridgeError) -> DarknetWeightSupply {
    guard let weights else { return DarknetWeightSupply(seed: options.randomWeights ?? 0) }
    return try locating({ $0.at(file: weights.path) }) { () throws(WeighbridgeError) in
      let header = try DarknetWeightsHeader(weights.store, fork: fork)
      let remainder = (weights.store.count - header.byteCount) % 4
      guard remainder == 0 else {
        throw .malformed(
          "ends with \(remainder) bytes that are not a complete value; it was cut off"
        )
        .at(.byte(weights.store.count - remainder))
      }
      return DarknetWeightSupply(
        weights.store, headerSize: header.byteCount, isTransposed: header.isTransposed)
    }
  }
}
