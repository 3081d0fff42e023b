import Bytes
import GraphIR

/// Decodes the boxes of YOLOv1.
///
/// With S x S cells of B boxes and C classes, the output is a row of S·S·C class probabilities
/// (cell by cell), S·S·B objectness scores and S·S·B boxes x, y, w, h. In the cell of column i and
/// row j:
///
///     center x = (i + x) / S      width = w, or w² (darknet's `sqrt`)
///     confidence of a class = objectness times its probability in the cell
///
/// "You Only Look Once" (Redmon et al., 2016), section 2. No activation is applied.
struct RowDecoder {
  let row: DetectorDescription.Row
  let classCount: Int
  /// Boxes whose confidence is not above the threshold are left out.
  let threshold: Double

  /// Returns the boxes, cell by cell.
  ///
  /// - Parameter tensor: The output, with a batch of one.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when the length is wrong,
  ///   ``WeighbridgeError/Code/malformed`` for NaN and infinite confidences.
  func candidates(_ tensor: Tensor) throws(WeighbridgeError) -> [Candidate] {
    let (side, boxCount) = (row.side, row.boxesPerCell)
    let cellCount = side * side
    let numbers = tensor.doubles
    guard numbers.count == cellCount * (classCount + 5 * boxCount) else {
      throw .mismatch(
        "has \(numbers.count) numbers, and \(side) x \(side) cells of \(boxCount) boxes and "
          + "\(classCount) classes make \(cellCount * (classCount + 5 * boxCount))")
    }
    guard !numbers.contains(where: \.isNaN) else {
      throw .malformed("contains NaN, so it has no boxes")
    }
    guard numbers.prefix(cellCount * (classCount + boxCount)).allSatisfy(\.isFinite) else {
      throw .malformed("contains infinite confidences, so it has no boxes")
    }
    var candidates: [Candidate] = []
    for boxIndex in 0..<cellCount * boxCount {
      let cell = boxIndex / boxCount
      let objectness = numbers[cellCount * classCount + boxIndex]
      let scores = (0..<classCount).compactMap { index -> Candidate.Score? in
        let confidence = objectness * numbers[cell * classCount + index]
        return confidence > threshold
          ? Candidate.Score(classIndex: index, confidence: confidence) : nil
      }
      guard !scores.isEmpty else { continue }
      let start = cellCount * (classCount + boxCount) + boxIndex * 4
      let box = box(Array(numbers[start..<start + 4]), column: cell % side, row: cell / side)
      candidates.append(Candidate(box: box, objectness: objectness, scores: scores))
    }
    return candidates
  }

  private func box(_ numbers: [Double], column: Int, row cellRow: Int) -> Box {
    let side = Double(row.side)
    return Box(
      centerX: (Double(column) + numbers[0]) / side,
      centerY: (Double(cellRow) + numbers[1]) / side,
      width: row.squaresSizes ? numbers[2] * numbers[2] : numbers[2],
      height: row.squaresSizes ? numbers[3] * numbers[3] : numbers[3])
  }
}
