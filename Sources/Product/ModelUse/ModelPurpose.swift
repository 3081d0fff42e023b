package import Bytes
package import GraphIR

/// The purpose of a model, as far as it can be inferred from its description and its shapes.
package enum ModelPurpose {
  /// Detects objects of a number of classes.
  case detector(classCount: Int)
  /// Returns a score for each class.
  case classifier(scores: Port)
  /// Transforms an image into an image.
  case imageToImage(output: Port)
  /// Any other purpose.
  case other

  /// - Parameter hasScores: Whether the caller declares that a vector contains scores of classes.
  package init(_ graph: Graph, _ description: ModelDescription, hasScores: Bool = false) {
    if let detector = description.detector {
      self = .detector(classCount: detector.classCount)
    } else if let scores = Self.scores(graph, description, hasScores) {
      self = .classifier(scores: scores)
    } else if let output = Self.image(graph, description) {
      self = .imageToImage(output: output)
    } else {
      self = .other
    }
  }

  /// Returns the first output that is a vector with an element for each label. Without labels,
  /// returns the only output if it is a vector of probabilities or is declared to contain scores;
  /// otherwise it may just as well contain features.
  private static func scores(
    _ graph: Graph, _ description: ModelDescription, _ hasScores: Bool
  ) -> Port? {
    let labelCount = description.labels.count
    let vectors = graph.outputs.filter { port in
      let shape = graph[port.value].type.shape
      guard let count = shape.last?.value else { return false }
      let isVector = shape.dropLast().enumerated().allSatisfy { axis, size in
        size.value == 1 || axis == 0 && size.value == nil
      }
      return isVector && (labelCount == 0 ? count > 1 : count == labelCount)
    }
    if labelCount > 0 { return vectors.first }
    guard graph.outputs.count == 1, let output = vectors.first else { return nil }
    let isDeclared = hasScores || description.userDefined[ScoreKind.metadataKey] != nil
    return isDeclared || ScoreKind.inferred(graph, output.value) != .logits ? output : nil
  }

  /// Returns the only output if it has the axes of the input's image, and 1 or 3 channels.
  private static func image(_ graph: Graph, _ description: ModelDescription) -> Port? {
    guard let layout = description.inputs.first?.image?.layout, graph.outputs.count == 1 else {
      return nil
    }
    let type = graph[graph.outputs[0].value].type
    guard let axes = layout.imageAxes(rank: type.rank),
      [1, 3].contains(type.shape[axes.channels].value)
    else { return nil }
    return graph.outputs[0]
  }
}

extension ModelPurpose {
  /// Returns the output with a classifier's scores.
  ///
  /// - Throws: ``WeighbridgeError/Code/mismatch``, which says what the model is instead.
  package func scores(_ graph: Graph, _ description: ModelDescription) throws(WeighbridgeError)
    -> Port
  {
    if case .classifier(let scores) = self { return scores }
    let expected =
      description.labels.isEmpty
      ? "a vector of scores"
      : "a vector with a score for each of its \(description.labels.count) labels"
    throw .mismatch(
      "the model is not a classifier: \(summary(graph)); a classifier gives \(expected)")
  }

  /// - Throws: ``WeighbridgeError/Code/mismatch``, which says what the model is, when its
  ///   description has no detector.
  package func checkFindsObjects(_ graph: Graph) throws(WeighbridgeError) {
    if case .detector = self { return }
    throw .mismatch(
      "the model does not say how boxes are read from its outputs: \(summary(graph)). If it finds "
        + "objects, describe its detector (\(APIName.detector) and \(APIName.anchors), or "
        + "\(APIName.metadataFile))")
  }

  /// Returns the output with the image of an image-to-image model.
  ///
  /// - Throws: See ``scores(_:_:)``.
  package func image(_ graph: Graph) throws(WeighbridgeError) -> Port {
    if case .imageToImage(let output) = self { return output }
    throw .mismatch(
      "the model does not transform an image into an image: \(summary(graph)); that would be one "
        + "output with the axes of the image that it takes, and 1 or 3 channels")
  }

  /// Describes what the model is and how it can be used.
  private func summary(_ graph: Graph) -> String {
    let types = { (ports: [Port]) in
      ports.map { "\($0.name), \(graph[$0.value].type)" }.joined(separator: "; ")
    }
    switch self {
    case .detector(let count):
      return "it detects objects of \(count) classes"
    case .classifier(let scores):
      return "it classifies: its output has a score for each class (\(types([scores])))"
    case .imageToImage(let output):
      return "it transforms images: its output is an image (\(types([output])))"
    case .other:
      return "its inputs are \(types(graph.inputs)), and its outputs \(types(graph.outputs))"
    }
  }
}
