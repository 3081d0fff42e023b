package import Bytes
package import GraphIR
import LayerCatalog

/// The head of YOLOv1: a row with the classes of all cells, then objectnesses, then boxes.
extension HeadDecoding {
  package mutating func rowBoxes(
    _ family: DetectorDescription.Row, _ value: ValueID
  ) throws(WeighbridgeError) -> Boxes {
    let (side, perCell) = (family.side, family.boxesPerCell)
    let (cellCount, classCount) = (side * side, detector.classCount)
    let boxCount = cellCount * perCell
    let count = cellCount * classCount + 5 * boxCount
    let type = graph.type(of: value)
    guard type.singleExampleShape?.reduce(1, *) == count, boxCount > 0 else {
      throw .mismatch(
        "is \(type), and \(side) x \(side) cells of \(perCell) boxes and \(classCount) classes "
          + "make \(count)")
    }
    let row = try reshaped(value, [1, count], "row")
    let classes = try reshaped(
      try columns(row, 0..<cellCount * classCount, "classes"), [cellCount, 1, classCount],
      "classes/cells")
    let start = cellCount * classCount
    let objectness = try reshaped(
      try columns(row, start..<start + boxCount, "objectness"), [cellCount, perCell, 1],
      "objectness/cells")
    let products = try add(Multiply(), [classes, objectness], "products")
    let boxes = try reshaped(
      try columns(row, start + boxCount..<count, "boxes"), [boxCount, 4], "boxes/rows")
    return Boxes(
      confidence: try reshaped(products, [boxCount, classCount], DetectionDecoding.confidence),
      coordinates: try coordinates(boxes, family))
  }

  private mutating func coordinates(
    _ boxes: ValueID, _ family: DetectorDescription.Row
  ) throws(WeighbridgeError) -> ValueID {
    let (side, perCell) = (family.side, family.boxesPerCell)
    let cellSize = 1 / Double(side)
    var centers = try multiplied(
      try columns(boxes, 0..<2, "centers"), by: [(cellSize, cellSize)], "centers/scale")
    let cellOrigins = (0..<side * side * perCell).map { position in
      let cell = position / perCell
      return (Double(cell % side) * cellSize, Double(cell / side) * cellSize)
    }
    centers = try added(centers, cellOrigins, "centers/cells")
    var dimensions = try columns(boxes, 2..<4, "sizes")
    if family.squaresSizes {
      dimensions = try add(Multiply(), [dimensions, dimensions], "sizes/square")
    }
    return try add(Concatenate(axis: 1), [centers, dimensions], DetectionDecoding.coordinates)
  }
}
