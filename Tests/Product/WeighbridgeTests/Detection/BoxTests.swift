import GraphIR
import Testing
import Vision

@Suite struct BoxTests {
  @Test("A box has pixels from the top and Apple's convention from below")
  func conventions() {
    let box = Box(x: 0.25, y: 0.125, width: 0.5, height: 0.25)
    #expect(box.pixels(width: 8, height: 16) == Rectangle(x: 2, y: 2, width: 4, height: 4))
    #expect(box.visionRectangle == Rectangle(x: 0.25, y: 0.625, width: 0.5, height: 0.25))
    #expect(box.center == (0.5, 0.25))
    #expect(Box(centerX: 0.5, centerY: 0.25, width: 0.5, height: 0.25) == box)
  }

  @Test("A box that reaches beyond the image is clipped, and one outside has no size")
  func clipping() {
    let box = Box(x: -0.5, y: 0.75, width: 1, height: 1)
    #expect(box.clipped == Box(x: 0, y: 0.75, width: 0.5, height: 0.25))
    #expect(Box(x: 2, y: 2, width: 1, height: 1).clipped == Box(x: 1, y: 1, width: 0, height: 0))
  }

  @Test("Overlap is intersection over union")
  func overlap() {
    let box = Box(x: 0, y: 0, width: 1, height: 1)
    #expect(box.intersectionOverUnion(box) == 1)
    #expect(box.intersectionOverUnion(Box(x: 0.5, y: 0, width: 1, height: 1)) == 1.0 / 3)
    #expect(box.intersectionOverUnion(Box(x: 1, y: 0, width: 1, height: 1)) == 0)
    let empty = Box(x: 0, y: 0, width: 0, height: 0)
    #expect(empty.intersectionOverUnion(empty) == 0)
    // Centers 0.5 apart, a diagonal of √(1.5² + 1).
    let near = box.distanceIntersectionOverUnion(
      Box(x: 0.5, y: 0, width: 1, height: 1), exponent: 1)
    #expect(abs(near - (1.0 / 3 - 0.25 / 3.25)) < 1e-12)
  }

  private func kept(
    _ kind: DetectorDescription.Suppression, threshold: Double = 0.45, _ boxes: [Candidate]
  ) -> [Int] {
    BoxSuppression(kind, threshold: threshold).detections(boxes).map(\.score.classIndex)
  }

  @Test("Only boxes that overlap by more than the threshold are removed, by default within a class")
  func suppression() {
    func candidate(_ x: Double, _ classIndex: Int, _ confidence: Double) -> Candidate {
      Candidate(
        box: Box(x: x, y: 0, width: 1, height: 1), objectness: confidence,
        scores: [.init(classIndex: classIndex, confidence: confidence)])
    }
    let boxes = [candidate(0, 0, 0.5), candidate(0.1, 0, 0.9), candidate(0, 1, 0.7)]
    #expect(kept(.greedy, boxes) == [0, 1])
    #expect(kept(.none, boxes) == [0, 1, 0])
    #expect(kept(.classAgnostic, boxes) == [0])
    let third = [candidate(0, 0, 0.5), candidate(0.5, 0, 0.9)]
    #expect(kept(.greedy, threshold: 1.0 / 3, third) == [0, 0])
    #expect(kept(.greedy, threshold: 0.33, third) == [0])
    #expect(kept(.distance, threshold: 0.33, third) == [0, 0])
    #expect(kept(.greedy, []) == [])
  }

  @Test("Of equally confident boxes the first one stays")
  func ties() {
    let boxes = (0..<3).map {
      Candidate(
        box: Box(x: Double($0) / 100, y: 0, width: 1, height: 1), objectness: 1,
        scores: [.init(classIndex: 0, confidence: 0.5)])
    }
    let kept = BoxSuppression(.greedy, threshold: 0.5).detections(boxes)
    #expect(kept.map(\.box.x) == [0])
  }
}
