import GraphIR
import WBMFormat

// Conversion between the typed description and its record. Unknown fields of a later version are
// kept as long as the record that they belong to is kept.

extension WBMDescription: DescriptionRecord {
  static let empty = ModelDescription()

  /// Creates the record of a description.
  ///
  /// - Parameter old: The record that is replaced, whose unknown fields are kept.
  init(_ description: ModelDescription, replacing old: WBMDescription = WBMDescription()) {
    self = old
    inputs = Self.predecessors(of: description.inputs, in: old.inputs)
    outputs = Self.predecessors(of: description.outputs, in: old.outputs)
    var description = description
    transfer(&description, .toRecord)
  }

  /// The record that each feature replaces: the one with its name, or otherwise the one at its
  /// index if there are as many as before.
  private static func predecessors(
    of features: [ModelDescription.Feature], in old: [WBMFeature]
  ) -> [WBMFeature] {
    features.enumerated().map { index, feature in
      let atSameIndex = old.count == features.count ? old[index] : WBMFeature()
      return old.first { $0.name == feature.name } ?? atSameIndex
    }
  }

  mutating func transfer(_ described: inout ModelDescription, _ direction: Transfer) {
    direction.value(&name, &described.name)
    direction.value(&author, &described.author)
    direction.record(&license, &described.license)
    direction.value(&version, &described.version)
    direction.value(&shortDescription, &described.summary)
    direction.records(&inputs, &described.inputs)
    direction.records(&outputs, &described.outputs)
    direction.value(&classLabels, &described.labels)
    direction.record(&detector, &described.detector)
    direction.pairs(&userDefined, &described.userDefined)
  }

  /// The stored description, with a feature for each input and output of the graph.
  func description(of graph: Graph) -> ModelDescription {
    func features(
      _ ports: [Port], _ stored: [ModelDescription.Feature]
    ) -> [ModelDescription.Feature] {
      ports.map { port in stored.first { $0.name == port.name } ?? .init(name: port.name) }
    }
    var result = described
    result.inputs = features(graph.inputs, result.inputs)
    result.outputs = features(graph.outputs, result.outputs)
    return result
  }
}

extension Transfer {
  /// Transfers a dictionary, which the record stores as pairs sorted by key.
  func pairs(_ records: inout [WBMKeyValue], _ described: inout [String: String]) {
    switch self {
    case .toRecord:
      records = described.sorted { $0.key < $1.key }.map { entry in
        var record = records.first { $0.key == entry.key } ?? WBMKeyValue()
        (record.key, record.value) = entry
        return record
      }
    case .toDescription:
      described = Dictionary(records.map { ($0.key, $0.value) }) { _, last in last }
    }
  }
}

extension WBMLicense: DescriptionRecord {
  static let empty = License(text: "", spdxExpression: nil, note: nil)

  mutating func transfer(_ described: inout License, _ direction: Transfer) {
    direction.value(&text, &described.text)
    direction.value(&spdx, &described.spdxExpression)
    direction.value(&note, &described.note)
  }
}

extension WBMFeature: DescriptionRecord {
  static let empty = ModelDescription.Feature(name: "")

  mutating func transfer(_ described: inout ModelDescription.Feature, _ direction: Transfer) {
    direction.value(&name, &described.name)
    direction.value(&description, &described.summary)
    direction.record(&image, &described.image)
    direction.value(&defaultValue, &described.defaultValue)
  }
}

extension WBMImage: DescriptionRecord {
  static let empty = ImageInput(
    colorOrder: .rgb, scale: 1, bias: [], resize: nil, layout: .channelsLast)

  mutating func transfer(_ described: inout ImageInput, _ direction: Transfer) {
    direction.enumCase(&colorOrder, &described.colorOrder)
    direction.value(&scale, &described.scale)
    direction.value(&bias, &described.bias)
    direction.enumCase(&resize, &described.resize)
    direction.enumCase(&layout, &described.layout)
  }
}
