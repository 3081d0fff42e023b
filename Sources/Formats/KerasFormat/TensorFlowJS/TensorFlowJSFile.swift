package import Bytes
import JSON

/// A layers model of TensorFlow.js: a `model.json` with the architecture and a manifest of the
/// weights, whose bytes are in files next to it (tfjs-layers, `models.ts`).
///
/// The architecture is that of Keras, as the converter or tfjs-layers itself writes it. The weights
/// are one list for the whole model, under the names that Keras gives them.
package struct TensorFlowJSFile: KerasModelFile {
  package let version: KerasVersion?
  package let backend: String?
  package let model: KerasModelRecord?
  package let customMetadata: [(key: String, value: String)]
  package let otherFiles: [(path: String, store: ByteStore)]
  private let groups: [(shards: TensorFlowJSShards, weights: [TensorFlowJSManifest.Weight])]
  /// Each weight with the index of its group, by its name.
  private let stored: [String: (group: Int, weight: TensorFlowJSManifest.Weight)]

  package var formatName: String { "tensorflow.js" }
  package var weightByteCount: Int {
    groups.flatMap(\.shards.files).reduce(0) { $0 + $1.store.count }
  }
  package var vocabularyNames: [String] { [] }
  package var weightGroups: [KerasWeightGroup] { [] }
  package var isInOrder: Bool { false }

  /// The versions of Keras whose layers tfjs-layers has: those before TensorFlow 2, which resize
  /// without half-pixel centers.
  private static let ownDialect = KerasVersion(2, 3, 1)

  /// Whether a file begins like a `model.json`.
  package static func recognizes(_ bytes: RawSpan) -> Bool {
    let start = bytes.copied(0..<min(bytes.byteCount, 4096))
    guard start.first(where: { !" \n\r\t".utf8.contains($0) }) == UInt8(ascii: "{") else {
      return false
    }
    let text = String(decoding: start, as: UTF8.self)
    return text.contains("\"modelTopology\"") || text.contains("\"weightsManifest\"")
  }

  /// Whether a file begins like the `model.json` of a graph model, which has operators of TensorFlow
  /// in place of layers.
  package static func recognizesGraphModel(_ bytes: RawSpan) -> Bool {
    guard recognizes(bytes) else { return false }
    let start = bytes.copied(0..<min(bytes.byteCount, 4096))
    let text = String(decoding: start, as: UTF8.self).filter { !$0.isWhitespace }
    return text.contains("\"format\":\"graph-model\"")
      || text.contains("\"modelTopology\":{\"node\":")
  }

  /// Opens a file and those that its manifest names.
  ///
  /// - Throws: ``WeighbridgeError/Code/missing`` for a file of weights that is missing;
  ///   ``WeighbridgeError/Code/malformed``; ``WeighbridgeError/Code/unsupported``.
  package init(_ store: ByteStore, path: String) throws(WeighbridgeError) {
    let json = JSONReader(
      try JSONValue(parsing: store.withBytes { $0.copied(0..<$0.byteCount) }), place: "")
    let architecture = try Self.architecture(json.member("modelTopology"))
    (version, backend, model) = (architecture.version, architecture.backend, architecture.model)
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    let manifest = try TensorFlowJSManifest(json.member("weightsManifest"))
    groups = try manifest.groups.map { (group) throws(WeighbridgeError) in
      (try TensorFlowJSShards(group, in: folder), group.weights)
    }
    stored = Dictionary(
      uniqueKeysWithValues: groups.enumerated().flatMap { index, group in
        group.weights.map { ($0.name, (index, $0)) }
      })
    let teachable = try TeachableMachineFile(in: folder)
    customMetadata = teachable?.entries ?? []
    otherFiles = groups.flatMap(\.shards.files) + (teachable.map { [$0.file] } ?? [])
  }

  /// Reads the topology: a Keras configuration as it is, or below `model_config` with the version.
  private static func architecture(
    _ json: JSONReader
  ) throws(WeighbridgeError) -> KerasArchitecture {
    let config = try json.optional("model_config") ?? json
    var architecture = KerasArchitecture(try KerasModelRecord(parsing: config.value))
    if let text = try json.optional("keras_version")?.string() {
      architecture.version =
        text.hasPrefix("tfjs-layers") ? ownDialect : try KerasVersion(checking: text)
    }
    try KerasGeneration.check(architecture.version)
    let backend = try json.optional("backend")?.string()
    architecture.backend = backend == "tensor_flow.js" ? "tensorflow" : backend
    return architecture
  }

  /// All weights in one group without a layer's name: only the model tells whose they are.
  package func weightGroups(
    of model: KerasModelRecord, _ parts: [String: KerasLayerParts]
  ) throws(WeighbridgeError) -> [KerasWeightGroup] {
    [KerasWeightGroup(layerName: "", weights: groups.flatMap(\.weights).map(Self.weight))]
  }

  /// The weights by the first part of their names, which is most often the layer's.
  package func listedGroups() throws(WeighbridgeError) -> [KerasWeightGroup] {
    var names: [String] = []
    var listed: [String: [KerasWeight]] = [:]
    for weight in groups.flatMap(\.weights) {
      let layer = String(weight.name.prefix { $0 != "/" })
      if listed[layer] == nil { names.append(layer) }
      listed[layer, default: []].append(Self.weight(weight))
    }
    return names.map { KerasWeightGroup(layerName: $0, weights: listed[$0] ?? []) }
  }

  private static func weight(_ weight: TensorFlowJSManifest.Weight) -> KerasWeight {
    KerasWeight(
      name: weight.name, localName: String(weight.name.split(separator: "/").last ?? ""),
      path: weight.name, elementType: weight.elementType, shape: weight.shape)
  }

  package func vocabulary(of className: String, _ number: Int) -> [String]? { nil }

  package func bytes(
    of weight: KerasWeight
  ) throws(WeighbridgeError) -> (store: ByteStore, range: Range<Int>) {
    guard let (group, stored) = stored[weight.name] else {
      throw .malformed("has no weight \(weight.name)")
    }
    return groups[group].shards.elements(of: stored)
  }
}
