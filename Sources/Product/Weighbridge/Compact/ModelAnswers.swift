import Compaction

/// The answers that a model's outputs are decoded into.
enum ModelAnswers {
  /// Returns how a model's answers are compared, and their kind; `nil` for a model without answers.
  static func of(
    _ model: Model
  ) -> (comparison: AnswerComparison, kind: CompactionRecord.Answers.Kind)? {
    if model.metadata.detector != nil, let detector = try? Detector(model) {
      return (detections(detector, model), .detections)
    }
    if let scores = try? ClassScores(model) { return (topClass(scores, model), .topClass) }
    return nil
  }

  private static func topClass(_ scores: ClassScores, _ model: Model) -> AnswerComparison {
    let names = model.outputs.map(\.name)
    return AnswerComparison(name: "top classes") {
      (actual, expected) throws(WeighbridgeError) in
      let first = try [actual, expected].map { (tensors) throws(WeighbridgeError) in
        try scores.ranking(zip(names, tensors).map { NamedTensor(name: $0, tensor: $1) }).first
      }
      return AnswerCount(kept: first[0]?.classIndex == first[1]?.classIndex ? 1 : 0, count: 1)
    }
  }

  private static func detections(_ detector: Detector, _ model: Model) -> AnswerComparison {
    let names = model.outputs.map(\.name)
    return AnswerComparison(name: "detections") { (actual, expected) throws(WeighbridgeError) in
      let found = try [actual, expected].map { (tensors) throws(WeighbridgeError) in
        try detector.detections(
          in: zip(names, tensors).map { NamedTensor(name: $0, tensor: $1) })
      }
      var unmatched = found[0]
      var kept = 0
      for detection in found[1] {
        let match = unmatched.firstIndex {
          $0.classIndex == detection.classIndex
            && $0.box.intersectionOverUnion(detection.box) >= 0.5
        }
        guard let match else { continue }
        unmatched.remove(at: match)
        kept += 1
      }
      return AnswerCount(kept: kept, count: found[1].count)
    }
  }
}
