package import GraphIR

/// Non-maximum suppression: of two overlapping boxes of one object, the less confident is removed.
///
/// All kinds are greedy: the most confident box is kept and removes those that overlap it by more
/// than the threshold, then the next of the rest. Of equally confident boxes the first is handled
/// first.
package struct BoxSuppression: Hashable, Sendable {
  /// The overlap above which the less confident of two boxes is removed.
  package let threshold: Double
  /// The kind of suppression.
  package let kind: DetectorDescription.Suppression
  /// The exponent of the distance between centers; see
  /// ``Box/distanceIntersectionOverUnion(_:exponent:)``.
  package let distanceExponent: Double

  /// Creates a suppression.
  package init(
    _ kind: DetectorDescription.Suppression, threshold: Double, distanceExponent: Double = 0.6
  ) {
    self.kind = kind
    self.threshold = threshold
    self.distanceExponent = distanceExponent
  }

  /// Returns the detections that are kept, the most confident first; of equally confident ones the
  /// lower class first.
  ///
  /// - Complexity: Quadratic in the number of boxes of a class.
  package func detections(_ candidates: [Candidate]) -> [(score: Candidate.Score, box: Box)] {
    var kept: [(score: Candidate.Score, box: Box)] = []
    if kind == .classAgnostic {
      for candidate in strongest(candidates) {
        kept += candidate.scores.map { ($0, candidate.box) }
      }
    } else {
      for boxes in Self.byClass(candidates) { kept += strongest(boxes) }
    }
    return kept.enumerated().sorted {
      let (first, second) = ($0.element.score, $1.element.score)
      return (second.confidence, first.classIndex, $0.offset)
        < (first.confidence, second.classIndex, $1.offset)
    }.map(\.element)
  }

  /// Returns the boxes of each class, ordered by class.
  private static func byClass(
    _ candidates: [Candidate]
  ) -> [[(score: Candidate.Score, box: Box)]] {
    var boxes: [Int: [(score: Candidate.Score, box: Box)]] = [:]
    for candidate in candidates {
      for score in candidate.scores {
        boxes[score.classIndex, default: []].append((score, candidate.box))
      }
    }
    return boxes.sorted { $0.key < $1.key }.map(\.value)
  }

  private func strongest(
    _ boxes: [(score: Candidate.Score, box: Box)]
  ) -> [(score: Candidate.Score, box: Box)] {
    strongest(boxes, by: \.score.confidence, box: \.box)
  }

  /// Suppresses by objectness, like darknet's `do_nms_obj`.
  private func strongest(_ candidates: [Candidate]) -> [Candidate] {
    strongest(candidates, by: \.objectness, box: \.box)
  }

  private func strongest<Element>(
    _ elements: [Element], by confidence: (Element) -> Double, box: (Element) -> Box
  ) -> [Element] {
    let order = elements.enumerated().sorted {
      (confidence($1.element), $0.offset) < (confidence($0.element), $1.offset)
    }
    var kept: [Element] = []
    for (_, element) in order
    where !kept.contains(where: { suppresses(box($0), box(element)) }) { kept.append(element) }
    return kept
  }

  private func suppresses(_ strong: Box, _ weak: Box) -> Bool {
    switch kind {
    case .none: false
    case .greedy, .classAgnostic: strong.intersectionOverUnion(weak) > threshold
    case .distance:
      strong.distanceIntersectionOverUnion(weak, exponent: distanceExponent) > threshold
    }
  }
}
