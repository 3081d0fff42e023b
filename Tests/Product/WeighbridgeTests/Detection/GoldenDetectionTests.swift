import Testing
import Vision
import Weighbridge

@Suite("What darknet detects in generated numbers")
struct GoldenDetectionTests {
  @Test("There are recorded cases")
  func count() { #expect(DetectionCase.all.count >= 18) }

  @Test("The boxes of every kind of head are darknet's", arguments: DetectionCase.all)
  func boxes(_ sample: DetectionCase) throws {
    let record = try sample.record()
    let candidates = try sample.candidates(record).boxes
    let all = candidates.flatMap { candidate in
      candidate.scores.map {
        Detection(
          classIndex: $0.classIndex, label: nil, confidence: $0.confidence, box: candidate.box)
      }
    }
    #expect(!record.before.isEmpty)
    expectSame(all, record.before, confidence: 1e-6, edges: 1e-5)
  }

  @Test("What is left after suppression is darknet's", arguments: DetectionCase.all)
  func suppression(_ sample: DetectionCase) throws {
    let record = try sample.record()
    let (candidates, detector) = try sample.candidates(record)
    let suppression = BoxSuppression(
      record.isAgnostic ? .classAgnostic : detector.suppression ?? .greedy,
      threshold: record.overlap, distanceExponent: detector.distanceExponent ?? 0.6)
    let kept = suppression.detections(candidates).map { score, box in
      Detection(classIndex: score.classIndex, label: nil, confidence: score.confidence, box: box)
    }
    expectSame(kept, record.after, confidence: 1e-6, edges: 1e-5)
    #expect(kept.map(\.confidence) == kept.map(\.confidence).sorted(by: >))
  }

  @Test("There is a case for every kind of head, suppression and tree")
  func coverage() throws {
    var kinds: Set<DetectorDescription.Kind> = []
    var suppressions: Set<DetectorDescription.Suppression> = []
    var choices: Set<DetectorDescription.ClassTree.Choice> = []
    for sample in DetectionCase.all {
      let detector = try sample.candidates(try sample.record()).detector
      kinds.insert(detector.kind)
      if let suppression = detector.suppression { suppressions.insert(suppression) }
      if let tree = detector.grid?.classTree { choices.insert(tree.choice) }
    }
    // darknet has no heads that are already decoded.
    #expect(kinds.union([.boxes]) == Set(DetectorDescription.Kind.allCases))
    #expect(suppressions == [.greedy, .distance])
    #expect(choices == Set(DetectorDescription.ClassTree.Choice.allCases))
  }
}
