import Bytes
import GraphIR

/// Boxes that are already decoded: confidences `[boxes, classes]`, and center x, center y, width
/// and height in the input's unit square, `[boxes, 4]`.
struct BoxList {
  private let confidences, coordinates: [Double]
  private let boxCount, classCount: Int
  private let threshold: Double

  /// - Parameters:
  ///   - tensors: The confidences and the coordinates.
  ///   - threshold: Classes whose confidence is not above the threshold are left out.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when a shape does not fit.
  init(_ tensors: [Tensor], threshold: Double) throws(WeighbridgeError) {
    guard tensors.count == 2, tensors.allSatisfy({ $0.shape.count == 2 }),
      tensors[1].shape == [tensors[0].shape[0], 4]
    else {
      throw .mismatch(
        "the outputs with boxes have the shapes \(tensors.map(\.shape)), expected [boxes, classes] "
          + "and [boxes, 4]")
    }
    (boxCount, classCount) = (tensors[0].shape[0], tensors[0].shape[1])
    (confidences, coordinates) = (tensors[0].doubles, tensors[1].doubles)
    self.threshold = threshold
  }

  /// Returns the boxes, in their order.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` for NaN and infinite confidences.
  func candidates() throws(WeighbridgeError) -> [Candidate] {
    guard !confidences.contains(where: \.isNaN), !coordinates.contains(where: \.isNaN) else {
      throw .malformed("an output contains NaN in the numbers of its boxes")
    }
    guard !confidences.contains(.infinity) else {
      throw .malformed("an output contains infinite confidences of its boxes, which must be finite")
    }
    return (0..<boxCount).compactMap { row in
      let scores = (0..<classCount).compactMap { index -> Candidate.Score? in
        let confidence = confidences[row * classCount + index]
        return confidence > threshold
          ? Candidate.Score(classIndex: index, confidence: confidence) : nil
      }
      guard let best = scores.map(\.confidence).max() else { return nil }
      let box = Array(coordinates[row * 4..<row * 4 + 4])
      return Candidate(
        box: Box(centerX: box[0], centerY: box[1], width: box[2], height: box[3]),
        objectness: best, scores: scores)
    }
  }
}
