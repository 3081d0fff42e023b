import JSON
import KerasFormat

extension UnknownLayers {
  /// The proposals for layers, or why there is none, by path. Where the types of a layer's inputs
  /// are not known, its proposal is not tried before it is shown.
  var readings: [String: Result<LambdaProposal, PythonRefusal>] {
    var result: [String: Result<LambdaProposal, PythonRefusal>] = [:]
    for (record, path) in layers.prefix(Self.describedCount) {
      let name = path + record.name
      result[name] =
        survey.proposals[name]
        ?? LambdaProposal.reading(record, inputs: nil, version: survey.version)
    }
    return result
  }

  /// Adds the proposals that the names of classes suggest.
  mutating func addRemarks() {
    let shapes = Dictionary(
      weights.map { ($0.layerName, $0.weights) }, uniquingKeysWith: { first, _ in first })
    for (record, path) in layers where remarks[path + record.name] == nil {
      if let proposal = Self.unitLength(record, shapes[path + record.name] ?? []) {
        remarks[path + record.name] = Remark(proposal: proposal)
      }
    }
  }

  /// The entry that maps a layer whose name says that it brings its input to unit length, with at
  /// most one weight for each channel. Authors differ in what they store, so it is only proposed.
  private static func unitLength(
    _ record: KerasLayerRecord, _ weights: [KerasWeight]
  ) -> JSONObject? {
    let name = record.className.lowercased().filter { $0.isLetter || $0.isNumber }
    guard ["l2norm", "l2normalize", "l2normalization", "l2normalizationlayer"].contains(name),
      weights.count <= 1, weights.allSatisfy({ $0.shape.count <= 1 })
    else { return nil }
    let axis: JSONValue = record.config["axis"]?.integer == nil ? -1 : "$settings.axis"
    var steps: [JSONValue] = [
      .object([
        "name": "unit", "class_name": "UnitNormalization", "config": .object(["axis": axis]),
      ])
    ]
    if !weights.isEmpty {
      steps.append(.object(["class_name": "Multiply", "inputs": ["unit", "$weights[0]"]]))
    }
    let others = settingKeys(record).filter { $0 != "axis" || axis == -1 }
    var entry: JSONObject = ["steps": .array(steps)]
    if !others.isEmpty { entry["ignore"] = .array(others.map { .string($0) }) }
    return entry
  }
}
