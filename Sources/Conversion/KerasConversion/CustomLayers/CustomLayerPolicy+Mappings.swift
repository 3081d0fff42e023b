package import Bytes
package import ConversionCore
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// The custom layers of other formats: each is mapped as a layer of a custom Keras class would be.
extension CustomLayerPolicy: CustomLayerMappings {
  package func check(_ layers: [CustomLayer]) throws(WeighbridgeError) {
    var used: Set<String> = []
    var unknown: [(record: KerasLayerRecord, path: String)] = []
    var remarks: [String: UnknownLayers.Remark] = [:]
    for layer in layers {
      if let entry = try entry(for: layer) {
        used.insert(entry.place)
      } else {
        unknown.append((layer.record, ""))
        remarks[layer.name] = UnknownLayers.Remark(layer)
      }
    }
    Self.dropConflictingProposals(unknown.map(\.record), &remarks)
    let unused = self.layers.layers.entries.map(\.place).filter { !used.contains($0) }
    let file = self.layers.path ?? ""
    if !unknown.isEmpty, !keepsUnknown {
      throw UnknownLayers(
        layers: unknown, weights: [], unusedEntries: unused, file: file, remarks: remarks
      ).error
    }
    if let place = unused.first {
      throw .mismatch("\(place) matches no custom layer of the model").at(file: file)
    }
  }

  package func mapping(of layer: CustomLayer) throws(WeighbridgeError) -> CustomLayerMapping {
    guard let entry = try entry(for: layer) else { return .kept(shapes: nil) }
    if entry.mapping.isKept { return .kept(shapes: entry.mapping.keptShapes) }
    return .replaced(by: "\(entry.place): \(entry.mapping.summary)") {
      (graph, source, inputs, tensors) throws(WeighbridgeError) in
      let weights = zip(layer.weights, tensors).map {
        KerasLayer.Weight(path: $0.name, tensor: $1)
      }
      var kerasLayer = KerasLayer(
        source: source, writer: KerasProducer(version: .ofMappings), settings: layer.settings,
        weights: .file(weights), weightValues: [:], network: KerasNetwork(graph: graph))
      kerasLayer.defaultLayout = .channelsFirst
      let outputs = try entry.mapping.build(&kerasLayer, inputs, place: entry.place) {
        (_, _) throws(WeighbridgeError) in []  // handled above
      }
      try kerasLayer.finish()
      graph = kerasLayer.graph
      return outputs
    }
  }

  private func entry(for layer: CustomLayer) throws(WeighbridgeError) -> CustomLayers.Entry? {
    try layers.entry(for: layer.record, path: "", onlyExact: false)
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
}

extension CustomLayer {
  /// The layer as one of a custom Keras class.
  fileprivate var record: KerasLayerRecord {
    KerasLayerRecord(index: position, name: name, className: className, config: settings)
  }
}

extension UnknownLayers.Remark {
  /// What a file says about a layer, apart from its settings.
  fileprivate init(_ layer: CustomLayer) {
    let isPlain = layer.weights.isEmpty && layer.settings.keys.isEmpty
    self.init(
      description: layer.description, weights: layer.weights,
      proposal: isPlain
        ? DescribedLayer(className: layer.className, description: layer.description)?.mapping : nil)
  }
}

extension KerasVersion {
  /// The version whose semantics apply to Keras layers that replace layers of other formats.
  fileprivate static let ofMappings = KerasVersion(2, 15)
}
