package import Bytes
package import GraphIR
import LayerCatalog

/// Heads with a grid: YOLOv2, YOLOv3 and later, and Gaussian YOLOv3.
extension HeadDecoding {
  /// The cells of a head.
  private struct Grid {
    let width, height: Int
    /// The anchors of the boxes of each cell.
    let anchors: [DetectorDescription.Anchor]

    /// Returns a pair of numbers for each box, cell by cell.
    func pairs(
      _ pair: (_ column: Int, _ row: Int, DetectorDescription.Anchor) -> (Double, Double)
    ) -> [(Double, Double)] {
      (0..<height).flatMap { row in
        (0..<width).flatMap { column in anchors.map { pair(column, row, $0) } }
      }
    }
  }

  /// The distance between the coordinates of a box: in Gaussian YOLO, each one is followed by its
  /// standard deviation.
  private var step: Int { detector.kind == .gaussianYOLO ? 2 : 1 }

  package mutating func gridBoxes(
    _ family: DetectorDescription.Grid, _ head: DetectorDescription.Head, _ value: ValueID
  ) throws(WeighbridgeError) -> Boxes {
    let anchors = head.mask.map { family.anchors[$0] }
    let (grid, rows) = try rows(value, anchors)
    let dimensions = try dimensions(rows, grid, areSquared: family.squaresSizes)
    let centers = try centers(rows, head, dimensions: dimensions, grid)
    return Boxes(
      confidence: try confidence(rows, family),
      coordinates: try add(
        Concatenate(axis: 1), [centers, dimensions], DetectionDecoding.coordinates))
  }

  /// Rearranges a head so that each box is a row: `[boxes, entries]`.
  private mutating func rows(
    _ value: ValueID, _ anchors: [DetectorDescription.Anchor]
  ) throws(WeighbridgeError) -> (Grid, ValueID) {
    let type = graph.type(of: value)
    let entryCount = detector.coordinateCount + detector.classCount
    let channelAxis = order == .channelsLast ? 3 : 1
    guard type.rank == 4, type.shape[channelAxis].agrees(with: .fixed(anchors.count * entryCount))
    else {
      throw .mismatch(
        "is \(type), and \(anchors.count) boxes of \(entryCount) numbers make "
          + "\(anchors.count * entryCount) channels")
    }
    let heightAxis = order == .channelsLast ? 1 : 2
    guard let height = type.shape[heightAxis].value,
      let width = type.shape[heightAxis + 1].value
    else {
      throw .unsupported("is \(type), and the size of its grid must be known")
    }
    let grid = Grid(width: width, height: height, anchors: anchors)
    var values = value
    if order == .channelsFirst {
      values = try reshaped(values, [anchors.count, entryCount, height * width], "cells")
      values = try add(Transpose(axes: [2, 0, 1]), [values], "cells_first")
    }
    let boxCount = height * width * anchors.count
    return (grid, try reshaped(values, [boxCount, entryCount], "rows"))
  }

  private mutating func activated(
    _ value: ValueID, _ part: DetectorDescription.Part, _ role: String
  ) throws(WeighbridgeError) -> ValueID {
    detector.activated.contains(part) ? value : try add(Sigmoid(), [value], "\(role)/sigmoid")
  }

  private mutating func dimensions(
    _ rows: ValueID, _ grid: Grid, areSquared: Bool
  ) throws(WeighbridgeError) -> ValueID {
    var dimensions = try columns(rows, 2 * step..<4 * step, step: step, "sizes")
    if areSquared {
      dimensions = try activated(dimensions, .centers, "sizes")
      dimensions = try add(Multiply(), [dimensions, dimensions], "sizes/square")
    } else {
      dimensions = try add(Exponential(), [dimensions], "sizes/exponential")
    }
    let isRegion = detector.kind == .region
    let unitWidth = Double(isRegion ? grid.width : inputWidth)
    let unitHeight = Double(isRegion ? grid.height : inputHeight)
    let scale = areSquared ? 4.0 : 1
    let anchors = grid.pairs { _, _, anchor in
      (scale * anchor.width / unitWidth, scale * anchor.height / unitHeight)
    }
    return try multiplied(dimensions, by: anchors, "sizes/anchors")
  }

  private mutating func centers(
    _ rows: ValueID, _ head: DetectorDescription.Head, dimensions: ValueID, _ grid: Grid
  ) throws(WeighbridgeError) -> ValueID {
    var points = try columns(rows, 0..<2 * step, step: step, "centers")
    points = try activated(points, .centers, "centers")
    let scale = detector.activated.contains(.centers) ? 1 : head.scaleXY
    let (width, height) = (Double(grid.width), Double(grid.height))
    points = try multiplied(points, by: [(scale / width, scale / height)], "centers/scale")
    let cellOrigins = grid.pairs { column, row, _ in
      ((Double(column) - (scale - 1) / 2) / width, (Double(row) - (scale - 1) / 2) / height)
    }
    points = try added(points, cellOrigins, "centers/cells")
    let centerOffset =
      switch head.boxPoint {
      case .center: 0.0
      case .leftTop: 0.5
      case .rightBottom: -0.5
      }
    guard centerOffset != 0 else { return points }
    let shift = try multiplied(dimensions, by: [(centerOffset, centerOffset)], "centers/half")
    return try add(Add(), [points, shift], "centers/middle")
  }

  /// Objectness times class score; for Gaussian YOLO also times the certainty of the coordinates.
  private mutating func confidence(
    _ rows: ValueID, _ family: DetectorDescription.Grid
  ) throws(WeighbridgeError) -> ValueID {
    var factors = [try classScores(rows, family)]
    if family.hasObjectness {
      let objectness = try columns(rows, 4 * step..<4 * step + 1, "objectness")
      factors.append(try activated(objectness, .objectness, "objectness"))
    }
    if detector.kind == .gaussianYOLO {
      var deviations = try columns(rows, 1..<8, step: 2, "deviations")
      deviations = try activated(deviations, .objectness, "deviations")
      let mean = try add(
        Reduce(.mean, axes: [1], keepDims: true), [deviations], "deviations/mean")
      factors.append(try add(Rescaling(scale: [-1], offset: [1]), [mean], "certainty"))
    }
    return factors.count == 1
      ? factors[0] : try add(Multiply(), factors, DetectionDecoding.confidence)
  }

  /// The scores of the classes, without that of the background.
  private mutating func classScores(
    _ rows: ValueID, _ family: DetectorDescription.Grid
  ) throws(WeighbridgeError) -> ValueID {
    let backgroundCount = family.hasBackground ? 1 : 0
    let end = detector.coordinateCount + detector.classCount
    if detector.kind != .region || detector.activated.contains(.classes) {
      let scores = try columns(rows, detector.coordinateCount..<end, "classes")
      return try activated(scores, .classes, "classes")
    }
    let all = try columns(rows, detector.coordinateCount - backgroundCount..<end, "classes")
    let probabilities = try add(Softmax(axes: [1]), [all], "classes/softmax")
    return backgroundCount == 0
      ? probabilities
      : try columns(probabilities, 1..<1 + detector.classCount, "classes/foreground")
  }
}
