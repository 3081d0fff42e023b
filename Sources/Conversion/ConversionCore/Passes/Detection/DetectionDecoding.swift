package import Bytes
package import GraphIR
import LayerCatalog

/// A detector's graph that returns decoded boxes instead of heads.
///
/// It takes one image (a batch of one) and returns the ``confidence`` and ``coordinates`` of all
/// boxes, ordered by head, row of the grid, column and anchor, as ``HeadDecoding`` computes them.
package struct DetectionDecoding: Sendable {
  /// The name of the output `[boxes, classes]`: objectness times class score.
  package static let confidence = "confidence"
  /// The name of the output `[boxes, 4]`: center x, center y, width and height as fractions of the
  /// input's size, from the upper left corner.
  package static let coordinates = "coordinates"

  /// The graph, with these two outputs only.
  package let graph: Graph

  /// Appends the decoding to a graph.
  ///
  /// - Parameters:
  ///   - original: The graph of a detector.
  ///   - description: Its description, with a detector and an image input.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when the description is incomplete or does not
  ///   fit the graph; ``WeighbridgeError/Code/unsupported`` for heads that ordinary operators
  ///   cannot decode (``HeadDecoding``), and for a larger batch.
  package init(
    _ original: Graph, _ description: ModelDescription
  ) throws(WeighbridgeError) {
    let interface = try DetectorInterface(original, description)
    var heads = try original.heads(of: interface.detector)
    if interface.detector.kind == .boxes { heads = original.allBoxes(heads) }
    let copy = try GraphCopy(original, for: heads) { (port) throws(WeighbridgeError) in
      try Self.singleImage(port.name, original[port.value].type)
    }
    var decoding = HeadDecoding(
      interface.detector, layout: interface.input.image.layout, inputWidth: interface.width,
      inputHeight: interface.height, graph: copy.builder)
    let boxes = try decoding.decode(heads.compactMap { copy[$0] })
    graph = try decoding.graph.finish(outputs: [
      Port(name: Self.confidence, value: boxes.confidence),
      Port(name: Self.coordinates, value: boxes.coordinates),
    ])
  }

  /// The loss to report when suppression considers only the overlap of boxes.
  package static let distanceLoss =
    "boxes are suppressed by their overlap only, not also by the distance of their centres"

  /// The losses of a description of heads, which are not in the graph any more.
  package static func losses(_ description: ModelDescription) -> [String] {
    guard description.outputs.contains(where: { $0.summary != nil }) else { return [] }
    return ["the descriptions of the outputs are not in the file, which gives boxes in their place"]
  }

  /// The type of an input with a batch of one; an input without a batch keeps its type.
  private static func singleImage(
    _ name: String, _ type: TensorType
  ) throws(WeighbridgeError) -> TensorType {
    guard type.rank == 4 else { return type }
    guard type.shape[0].agrees(with: 1) else {
      throw .unsupported(
        "the input \(name) is \(type), and boxes are decoded of one image at a time"
      )
    }
    return type.with(shape: [1] + type.shape.dropFirst())
  }
}

extension Graph {
  /// The outputs that contain a detector's boxes.
  ///
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when one is missing.
  package func heads(of detector: DetectorDescription) throws(WeighbridgeError) -> [ValueID] {
    var heads: [ValueID] = []
    for name in detector.outputs {
      guard let port = outputs.first(where: { $0.name == name }) else {
        throw .mismatch("the output \(name), which holds boxes, is missing")
      }
      heads.append(port.value)
    }
    return heads
  }

  /// The boxes before non-maximum suppression in the graph; `heads` itself when there is none.
  ///
  /// - Parameter heads: The confidences and the coordinates of boxes.
  fileprivate func allBoxes(_ heads: [ValueID]) -> [ValueID] {
    let selection = nodes.first { $0.operation is NonMaxSuppression && $0.outputs == heads }
    return selection?.inputs ?? heads
  }
}
