import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import JSON
import KerasConversion
import KerasFormat
import LayerCatalog
import ProtobufWire

/// Custom layers, which an app implements, and what the user says about them.
struct CoreMLCustomLayers: Sendable {
  private let policy: CustomLayerPolicy

  init(_ policy: CustomLayerPolicy) { self.policy = policy }

  /// Refuses unknown layers, all of them in one error, and the user's entries that match no layer.
  func check(_ layers: [CoreMLLayer]) throws(WeighbridgeError) {
    var used: Set<String> = []
    var unknown: [(record: KerasLayerRecord, path: String)] = []
    var remarks: [String: UnknownLayers.Remark] = [:]
    for (index, layer) in layers.enumerated() where layer.kind == "custom" {
      let record = Self.record(layer, index: index)
      if let entry = try policy.layers.entry(for: record, path: "", onlyExact: false) {
        used.insert(entry.place)
      } else {
        unknown.append((record, ""))
        remarks[layer.name] = try locating({ $0.at(layer: layer.name) }) {
          () throws(WeighbridgeError) in try Self.remark(layer)
        }
      }
    }
    Self.dropConflictingProposals(unknown.map(\.record), &remarks)
    let unused = policy.layers.layers.entries.map(\.place).filter { !used.contains($0) }
    if !unknown.isEmpty, !policy.keepsUnknown {
      throw UnknownLayers(
        layers: unknown, weights: [], unusedEntries: unused, file: policy.layers.path ?? "",
        remarks: remarks
      ).error
    }
    if let place = unused.first {
      throw .mismatch("\(place) matches no custom layer of the model")
        .at(file: policy.layers.path ?? "")
    }
  }

  /// Adds the layers that replace a custom layer, or the layer unchanged.
  func build(_ layer: inout CoreMLLayerImport) throws(WeighbridgeError) -> [CoreMLBlob] {
    let record = Self.record(layer.definition, index: 0)
    let weights = try Self.weights(&layer)
    layer.ignore("className", "parameters", "description")
    guard let entry = try policy.layers.entry(for: record, path: "", onlyExact: false) else {
      return try keep(&layer, weights.map(\.tensor), record, shapes: nil)
    }
    var values: [ValueID] = []
    var images: CoreMLImages?
    for blob in layer.inputs {
      let image = try layer.images(blob)
      images = images ?? image
      values.append(image.value)
    }
    var kerasLayer = KerasLayer(
      source: layer.source, writer: KerasProducer(version: .coreML), settings: record.config,
      weights: .file(weights),
      weightValues: [:], network: KerasNetwork(graph: layer.network.graph))
    kerasLayer.defaultLayout = .channelsFirst
    if entry.mapping.isKept {
      return try keep(&layer, weights.map(\.tensor), record, shapes: entry.mapping.keptShapes)
    }
    let outputs = try entry.mapping.build(&kerasLayer, values, place: entry.place) {
      (_, _) throws(WeighbridgeError) in []  // handled above
    }
    try kerasLayer.finish()
    layer.network.graph = kerasLayer.graph
    layer.decide("\(entry.place): \(entry.mapping.summary)")
    var blobs: [CoreMLBlob] = []
    for output in outputs {
      let isImage = layer.type(output).rank == CoreMLAxis.image.count
      if isImage, let images {
        blobs.append(try layer.tensor(output, like: images))
      } else {
        blobs.append(try layer.fullRankBlob(output))
      }
    }
    return blobs
  }

  private static func weights(
    _ layer: inout CoreMLLayerImport
  ) throws(WeighbridgeError) -> [KerasLayer.Weight] {
    var weights: [KerasLayer.Weight] = []
    for (index, record) in layer.records("weights").enumerated() {
      let tensor = try layer.tensor(
        "weight", in: ["weight": .record(record)], shape: [CoreMLWeights(record).count])
      weights.append(KerasLayer.Weight(path: Self.weightName(index), tensor: tensor))
    }
    return weights
  }

  private static func weightName(_ index: Int) -> String { "weight_\(index)" }

  /// What the file says about a layer, apart from its parameters.
  private static func remark(_ layer: CoreMLLayer) throws(WeighbridgeError) -> UnknownLayers.Remark
  {
    var remark = UnknownLayers.Remark(description: layer.settings.string("description"))
    for (index, record) in layer.settings.records("weights").enumerated() {
      remark.weights.append((Self.weightName(index), [try CoreMLWeights(record).count]))
    }
    if remark.weights.isEmpty, layer.settings.records("parameters").isEmpty {
      remark.proposal =
        DescribedLayer(
          className: layer.settings.string("className"), description: remark.description)?.mapping
    }
    return remark
  }

  /// Drops the proposals for a class whose layers do not all have the same one.
  private static func dropConflictingProposals(
    _ layers: [KerasLayerRecord], _ remarks: inout [String: UnknownLayers.Remark]
  ) {
    for layers in Dictionary(grouping: layers, by: \.className).values {
      guard Set(layers.map { remarks[$0.name]?.proposal }).count > 1 else { continue }
      for layer in layers { remarks[layer.name]?.proposal = nil }
    }
  }

  /// Keeps a layer as it is.
  ///
  /// - Parameter shapes: The shapes of its outputs; by default images of unknown dimensions.
  private func keep(
    _ layer: inout CoreMLLayerImport, _ weights: [Tensor], _ record: KerasLayerRecord,
    shapes: [[Int?]]?
  ) throws(WeighbridgeError) -> [CoreMLBlob] {
    guard let first = layer.inputs.first else {
      throw layer.unsupported("takes no inputs, and a layer can be kept as it is if it takes some")
    }
    var values: [ValueID] = []
    for blob in layer.inputs { values.append(try layer.value(blob, CoreMLAxis.image)) }
    for (index, tensor) in weights.enumerated() {
      values.append(try layer.addWeight("weight_\(index)", tensor))
    }
    let openImage = [Int?](repeating: nil, count: CoreMLAxis.image.count)
    let dimensions = shapes ?? layer.definition.outputs.map { _ in openImage }
    guard dimensions.allSatisfy({ $0.count == openImage.count }) else {
      throw layer.unsupported(
        "makes outputs of the shapes \(dimensions), and a layer can be kept as it is if it makes images "
          + "[batch, channels, height, width]")
    }
    let operation = Opaque(
      className: record.className, settings: JSONValue.object(record.config).text(),
      inputCount: layer.inputs.count, weightNames: weights.indices.map { "weight_\($0)" },
      outputs: dimensions.map { Opaque.Output(elementType: .float32, dimensions: $0) })
    return try layer.network.graph.addNode(operation, inputs: values, source: layer.source)
      .map { CoreMLBlob($0, CoreMLAxis.image, rank: first.rank) }
  }

  /// Describes a custom layer as a layer of a custom Keras class.
  private static func record(_ layer: CoreMLLayer, index: Int) -> KerasLayerRecord {
    var config = JSONObject()
    for entry in layer.settings.records("parameters") {
      config[entry.string("key")] = entry.record("value").flatMap(parameter) ?? .null
    }
    return KerasLayerRecord(
      index: index, name: layer.name, className: layer.settings.string("className"),
      config: config)
  }

  private static func parameter(_ value: ProtobufRecord) -> JSONValue? {
    switch value.fields.first?.value {
    case .double(let number): .real(number)
    case .string(let string): .string(string)
    case .integer(let number): .integer(number)
    case .boolean(let flag): .bool(flag)
    default: nil
    }
  }
}

extension KerasVersion {
  /// The version whose semantics apply to Keras layers that replace custom layers.
  fileprivate static let coreML = KerasVersion(2, 15)
}
