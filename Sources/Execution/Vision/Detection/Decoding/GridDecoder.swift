import Bytes
import GraphIR

/// Decodes the boxes of YOLOv2, YOLOv3 and later, and Gaussian YOLOv3 from a head with a grid.
///
/// A cell (column i, row j) of a grid of W x H contains for each of its anchors x, y, w, h, the
/// objectness o and the classes c. With σ the sigmoid and s the head's `scaleXY`:
///
///     center x = (i + s σ(x) - (s - 1)/2) / W        center y = (j + s σ(y) - (s - 1)/2) / H
///     exponential: width = e^w anchor.width / U      squared: width = (2 σ(w))² anchor.width / U
///     confidence of a class = σ(o) class score
///
/// U is W for region (anchors in cells) and the input's width in pixels for the others; likewise
/// for heights. A class score is the softmax of c for region, else σ(c). Activations that the graph
/// has already applied to the head's output are not applied again.
///
/// "YOLO9000" (Redmon and Farhadi, 2017), section 2 for region; "YOLOv3" (2018), section 2.1;
/// `scale_x_y`: "YOLOv4" (Bochkovskiy et al., 2020), section 3.4. Gaussian YOLOv3 (Choi et al.,
/// 2019) has a standard deviation after each of the four coordinates, and multiplies the confidence
/// by 1 - mean of the standard deviations.
struct GridDecoder {
  let detector: DetectorDescription
  let family: DetectorDescription.Grid
  /// The input's size in pixels.
  let inputWidth, inputHeight: Int
  /// Boxes whose confidence is not above the threshold are left out.
  let threshold: Double

  /// Returns the boxes of a head, cell by cell.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` for NaN and infinite confidences.
  func candidates(
    _ head: DetectorDescription.Head, _ numbers: HeadNumbers
  ) throws(WeighbridgeError) -> [Candidate] {
    guard !numbers.hasNaN else {
      throw .malformed("contains NaN, so it has no boxes")
    }
    var candidates: [Candidate] = []
    for cell in 0..<numbers.width * numbers.height {
      for (boxIndex, anchor) in head.mask.enumerated() {
        let entry = { numbers(cell: cell, box: boxIndex, entry: $0) }
        let objectness = objectness(entry)
        guard objectness > threshold || scoresMayExceedOne else { continue }
        let scores = try scores(entry, objectness: objectness)
        guard !scores.isEmpty else { continue }
        let box = box(
          entry, head, family.anchors[anchor], column: cell % numbers.width,
          row: cell / numbers.width, numbers)
        candidates.append(Candidate(box: box, objectness: objectness, scores: scores))
      }
    }
    return candidates
  }

  /// Whether class scores may exceed 1, so that a box with a low objectness may be above the
  /// threshold: in a region layer of AlexeyAB's fork without softmax.
  private var scoresMayExceedOne: Bool { detector.kind == .region && family.classTree == nil }

  /// The stride between the coordinates of a box: in Gaussian YOLO a standard deviation follows
  /// each.
  private var coordinateStride: Int { detector.kind == .gaussianYOLO ? 2 : 1 }

  private func box(
    _ entry: (Int) -> Double, _ head: DetectorDescription.Head,
    _ anchor: DetectorDescription.Anchor, column: Int, row: Int, _ grid: HeadNumbers
  ) -> Box {
    let isRegion = detector.kind == .region
    let width =
      dimension(entry(2 * coordinateStride)) * anchor.width
      / Double(isRegion ? grid.width : inputWidth)
    let height =
      dimension(entry(3 * coordinateStride)) * anchor.height
      / Double(isRegion ? grid.height : inputHeight)
    let x = (Double(column) + cellOffset(entry(0), head)) / Double(grid.width)
    let y = (Double(row) + cellOffset(entry(coordinateStride), head)) / Double(grid.height)
    return switch head.boxPoint {
    case .center: Box(centerX: x, centerY: y, width: width, height: height)
    case .leftTop: Box(x: x, y: y, width: width, height: height)
    case .rightBottom: Box(x: x - width, y: y - height, width: width, height: height)
    }
  }

  /// Returns the offset of a box's point from its cell's upper left corner, in cells.
  private func cellOffset(_ number: Double, _ head: DetectorDescription.Head) -> Double {
    guard !detector.activated.contains(.centers) else { return number }
    return head.scaleXY * Activations.sigmoid(number) - (head.scaleXY - 1) / 2
  }

  /// Returns the size of a box along an axis, as a multiple of its anchor's.
  private func dimension(_ number: Double) -> Double {
    guard family.squaresSizes else { return Activations.exponential(number) }
    let isActivated = detector.activated.contains(.centers)
    let doubled = 2 * (isActivated ? number : Activations.sigmoid(number))
    return doubled * doubled
  }

  private func objectness(_ entry: (Int) -> Double) -> Double {
    family.hasObjectness ? activated(entry(4 * coordinateStride), .objectness) : 1
  }

  private func activated(_ number: Double, _ part: DetectorDescription.Part) -> Double {
    detector.activated.contains(part) ? number : Activations.sigmoid(number)
  }

  private func scores(
    _ entry: (Int) -> Double, objectness: Double
  ) throws(WeighbridgeError) -> [Candidate.Score] {
    let classes = classScores(entry)
    // A softmax of infinite numbers is NaN.
    guard objectness.isFinite, classes.allSatisfy(\.isFinite) else {
      throw .malformed("contains infinite confidences, so it has no boxes")
    }
    if let tree = family.classTree {
      return [tree.score(classes, objectness: objectness)].compactMap { $0 }
        .filter { $0.confidence > threshold }
    }
    let factor = objectness * (1 - meanDeviation(entry))
    return classes.enumerated().compactMap { index, score in
      let confidence = factor * score
      return confidence > threshold
        ? Candidate.Score(classIndex: index, confidence: confidence) : nil
    }
  }

  private func meanDeviation(_ entry: (Int) -> Double) -> Double {
    guard detector.kind == .gaussianYOLO else { return 0 }
    return (0..<4).map { activated(entry(2 * $0 + 1), .objectness) }.reduce(0, +) / 4
  }

  /// Returns the scores of the classes, without that of the background.
  private func classScores(_ entry: (Int) -> Double) -> [Double] {
    let background = family.hasBackground ? 1 : 0
    let first = detector.coordinateCount - background
    let numbers = (0..<detector.classCount + background).map { entry(first + $0) }
    let scores: [Double]
    if detector.activated.contains(.classes) {
      scores = numbers
    } else if let tree = family.classTree {
      scores = tree.groups.flatMap { Activations.softmax(Array(numbers[$0])) }
    } else if detector.kind == .region {
      scores = Activations.softmax(numbers)
    } else {
      scores = numbers.map(Activations.sigmoid)
    }
    return Array(scores.dropFirst(background))
  }
}
