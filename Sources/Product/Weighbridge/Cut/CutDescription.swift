/// The description of a part of a model.
struct CutDescription {
  private let whole: ModelContent
  private let starts, ends: [Port]

  init(whole: ModelContent, from starts: [Port], to ends: [Port]) {
    self.whole = whole
    (self.starts, self.ends) = (starts, ends)
  }

  var description: ModelDescription {
    var description = whole.description
    description.inputs = features(starts, whole.graph.inputs, whole.description.inputs)
    description.outputs = features(ends, whole.graph.outputs, whole.description.outputs)
    if !keepsDetector { description.detector = nil }
    if description.detector == nil, !keepsScores { description.labels = [] }
    return description
  }

  /// Returns the features of ports, as described in the whole model; for other values only the
  /// name.
  private func features(
    _ ports: [Port], _ wholePorts: [Port], _ features: [ModelDescription.Feature]
  ) -> [ModelDescription.Feature] {
    ports.map { port in
      let position = wholePorts.firstIndex { $0.value == port.value }
      var feature = position.map { features[$0] } ?? .init(name: port.name)
      feature.name = port.name
      return feature
    }
  }

  /// Whether every output that contains boxes is kept under its name.
  private var keepsDetector: Bool {
    guard let detector = whole.description.detector else { return false }
    let kept = ends.filter { end in whole.graph.outputs.contains(end) }.map(\.name)
    return Set(detector.outputs).isSubset(of: kept)
      && starts.contains { $0.value == whole.graph.inputs.first?.value }
  }

  /// Whether an output contains the scores of the classes, with or without the last activation.
  private var keepsScores: Bool {
    guard !whole.description.labels.isEmpty, whole.description.detector == nil else { return false }
    let scores = ScoreKind.chains(whole.graph).flatMap { $0 }
    return ends.contains { scores.contains($0.value) }
  }
}
