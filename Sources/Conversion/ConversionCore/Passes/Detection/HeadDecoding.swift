package import Bytes
package import GraphIR
package import LayerCatalog

/// Adds the operators that decode boxes from a detector's heads: slices, activations, and products
/// and sums with constants, on float32 tensors `[boxes, entries]`.
///
/// They compute the same as the decoders in `Vision`; see `GridDecoder` and `RowDecoder` for the
/// formulas and their sources. Boxes of any confidence are kept.
package struct HeadDecoding {
  /// The boxes of a head, or of all heads.
  package struct Boxes: Hashable, Sendable {
    /// `[boxes, classes]`: objectness times class score.
    package let confidence: ValueID
    /// `[boxes, 4]`: center x, center y, width and height as fractions of the input's size.
    package let coordinates: ValueID
  }

  /// The graph with the added operators.
  package private(set) var graph: GraphBuilder
  package let detector: DetectorDescription
  package let order: DetectorDescription.Order
  package let inputWidth, inputHeight: Int
  /// The prefix of the names of the nodes and weights for the current head.
  private var scope = ""

  /// Prepares the decoding of a graph's heads.
  ///
  /// - Parameters:
  ///   - detector: How boxes are stored.
  ///   - layout: The axis order of the image, and of heads whose order the detector does not state.
  ///   - inputWidth: The width of the model's image, in pixels.
  ///   - inputHeight: The height of the model's image, in pixels.
  ///   - graph: The graph that computes the heads.
  package init(
    _ detector: DetectorDescription, layout: DataLayout, inputWidth: Int, inputHeight: Int,
    graph: GraphBuilder
  ) {
    self.detector = detector
    order = detector.order(in: layout)
    (self.inputWidth, self.inputHeight) = (inputWidth, inputHeight)
    self.graph = graph
  }

  /// Adds the decoding of all heads.
  ///
  /// - Parameter heads: The detector's heads, each a batch of one.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when a head's shape does not fit the description;
  ///   ``WeighbridgeError/Code/unsupported`` when its shape is unknown, and for classes that form a
  ///   tree.
  package mutating func decode(_ heads: [ValueID]) throws(WeighbridgeError) -> Boxes {
    guard detector.grid?.classTree == nil else {
      throw .unsupported(
        "the classes form a tree, of which a box has one class: there is no confidence for each "
          + "of them")
    }
    if detector.kind == .boxes, heads.count == 2 {
      return Boxes(confidence: heads[0], coordinates: heads[1])
    }
    var boxes: [Boxes] = []
    for (index, value) in heads.enumerated() {
      let output = detector.outputs[index]
      scope = "\(output)/decoding"
      do throws(WeighbridgeError) {
        boxes.append(try decode(index, value))
      } catch { throw WeighbridgeError(error.code, "the output \(output) \(error.reason)") }
    }
    scope = "decoding"
    return Boxes(
      confidence: try concatenated(boxes.map(\.confidence), DetectionDecoding.confidence),
      coordinates: try concatenated(boxes.map(\.coordinates), DetectionDecoding.coordinates))
  }

  /// Adds the decoding of one output.
  private mutating func decode(
    _ index: Int, _ value: ValueID
  ) throws(WeighbridgeError) -> Boxes {
    var value = value
    if graph.type(of: value).elementType != .float32 {
      value = try add(Cast(to: .float32), [value], "float32")
    }
    switch detector.family {
    case .region(let grid), .yolo(let grid), .gaussianYOLO(let grid):
      // Core ML's arrays have no batch.
      if graph.type(of: value).rank == 3 {
        value = try add(ExpandDims(axes: [0]), [value], "batch")
      }
      return try gridBoxes(grid, grid.heads[index], value)
    case .detection(let row): return try rowBoxes(row, value)
    case .boxes: throw .mismatch("is one of two outputs of decoded boxes, and stands alone")
    }
  }

  private mutating func concatenated(
    _ values: [ValueID], _ name: String
  ) throws(WeighbridgeError) -> ValueID {
    values.count == 1 ? values[0] : try add(Concatenate(axis: 0), values, name)
  }
}

/// The operators of the decoding.
extension HeadDecoding {
  /// Adds an operator.
  ///
  /// - Parameter role: The role of the result in the decoding.
  package mutating func add(
    _ operation: any CatalogOperator, _ inputs: [ValueID], _ role: String
  ) throws(WeighbridgeError) -> ValueID {
    try graph.addNode(
      operation, inputs: inputs,
      source: SourceScope(layer: scope, className: "BoxDecoding", role: role))[0]
  }

  /// Selects columns of the rows.
  package mutating func columns(
    _ rows: ValueID, _ range: Range<Int>, step: Int = 1, _ role: String
  ) throws(WeighbridgeError) -> ValueID {
    let range = Slice.Range(
      axis: 1, start: range.lowerBound, stop: range.upperBound, step: step)
    return try add(Slice([range]), [rows], role)
  }

  /// Reshapes a value.
  package mutating func reshaped(
    _ value: ValueID, _ shape: [Int], _ role: String
  ) throws(WeighbridgeError) -> ValueID {
    try add(ReshapeAxes(shape.map { .fixed($0) }), [value], role)
  }

  /// Multiplies rows by pairs of numbers: one pair for all rows, or one for each row.
  package mutating func multiplied(
    _ value: ValueID, by pairs: [(Double, Double)], _ role: String
  ) throws(WeighbridgeError) -> ValueID {
    try add(Multiply(), [value, try weight(pairs, "\(role)/factor")], role)
  }

  /// Adds pairs of numbers to rows: one pair for all rows, or one for each row.
  package mutating func added(
    _ value: ValueID, _ pairs: [(Double, Double)], _ role: String
  ) throws(WeighbridgeError) -> ValueID {
    try add(Add(), [value, try weight(pairs, "\(role)/summand")], role)
  }

  private mutating func weight(
    _ pairs: [(Double, Double)], _ role: String
  ) throws(WeighbridgeError) -> ValueID {
    try graph.addConstant(
      Tensor(.float32, shape: [pairs.count, 2], pairs.flatMap { [$0.0, $0.1] }),
      named: "\(scope)/\(role)")
  }
}
