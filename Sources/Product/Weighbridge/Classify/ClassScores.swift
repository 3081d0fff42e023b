/// The output of a model that contains a score for each class.
struct ClassScores: Sendable {
  /// The name of the output.
  let outputName: String
  /// The kind of the scores.
  let kind: ScoreKind
  private let labels: [String]

  /// - Parameter kind: The kind of the scores, if given; otherwise determined from the model.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when the model is not a classifier; the message
  ///   says what it is.
  init(_ model: Model, kind: ScoreKind? = nil) throws(WeighbridgeError) {
    let (graph, description) = (model.content.graph, model.metadata)
    let output = try ModelPurpose(graph, description, hasScores: kind != nil)
      .scores(graph, description)
    outputName = output.name
    labels = description.labels
    if let kind {
      self.kind = kind
    } else {
      self.kind = try ScoreKind(graph, description, output)
    }
  }

  /// Returns all classes by probability, the most probable first.
  ///
  /// - Throws: See ``Classifier/classes(in:)``.
  func ranking(_ outputs: [NamedTensor]) throws(WeighbridgeError) -> [Classification] {
    guard let tensor = outputs.first(where: { $0.name == outputName })?.tensor else {
      throw .mismatch("there is no output \(outputName)")
    }
    guard labels.isEmpty || tensor.count == labels.count else {
      throw .mismatch(
        "the output \(outputName) is \(tensor.type), and one example has \(labels.count) scores")
    }
    let probabilities = try kind.probabilities(of: tensor.doubles)
    return probabilities.enumerated()
      .sorted { ($1.element, $0.offset) < ($0.element, $1.offset) }
      .map { index, probability in
        Classification(
          classIndex: index, label: labels.isEmpty ? nil : labels[index], probability: probability)
      }
  }
}
