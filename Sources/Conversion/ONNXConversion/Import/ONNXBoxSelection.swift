import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// The selection of boxes by `NonMaxSuppression` at the end of a file written by Weighbridge
/// (``ONNXSuppression``).
///
/// The number of remaining boxes is known only when the model runs, so the graph has them as the
/// operator ``NonMaxSuppression`` returns them: `confidence` `[boxes, classes]` and `coordinates`
/// `[boxes, 4]`, in which rows of zeros stand for no box.
struct ONNXBoxSelection {
  private static let kind = "NonMaxSuppression"
  /// The number of nodes per operator that process the indices of the remaining boxes.
  private static let postprocessing = [
    "Add": 1, "Concat": 1, "Gather": 3, "GatherND": 1, "Mul": 1, "Slice": 5, "Squeeze": 2, "Sub": 1,
    "TopK": 1,
  ]

  /// The rest of the file: the network, which outputs the confidences and the coordinates of all
  /// boxes.
  let network: ONNXGraph
  private let node: ONNXNode

  /// Separates the selection from the network; `nil` for a file without a selection, or with one in another
  /// form, whose nodes are read one by one.
  init?(_ graph: ONNXGraph) {
    guard let position = graph.nodes.firstIndex(where: { $0.operation == Self.kind }) else {
      return nil
    }
    node = graph.nodes[position]
    var selected = Set(node.outputs)
    var counts: [String: Int] = [:]
    var networkNodes = Array(graph.nodes[..<position])
    for next in graph.nodes[(position + 1)...] {
      if next.inputs.contains(where: selected.contains) {
        selected.formUnion(next.outputs)
        // The number of Shape nodes differs between opset versions.
        if next.operation != "Shape" { counts[next.operation, default: 0] += 1 }
      } else {
        networkNodes.append(next)
      }
    }
    let producers = Dictionary(
      networkNodes.flatMap { node in node.outputs.map { ($0, node) } },
      uniquingKeysWith: { first, _ in first })
    guard counts == Self.postprocessing, graph.outputs.count == 3,
      graph.outputs.allSatisfy({ selected.contains($0.name) }), node.inputs.count == 5,
      let coordinates = Self.source(of: node.inputs[0], through: ["Unsqueeze"], producers),
      let confidence = Self.source(
        of: node.inputs[1], through: ["Unsqueeze", "Transpose"], producers),
      case .integer(1)? = node.attributes.first(where: { $0.name == "center_point_box" })?.value
    else { return nil }
    var network = graph
    network.nodes = networkNodes
    network.outputs = [confidence, coordinates].map {
      ONNXFeature(name: $0, elementType: .float32, shape: [], summary: nil)
    }
    self.network = network
  }

  /// Returns the value at the start of a chain of nodes with one input each.
  private static func source(
    of name: String, through operations: [String], _ producers: [String: ONNXNode]
  ) -> String? {
    var name = name
    for operation in operations {
      guard let node = producers[name], node.operation == operation, let input = node.inputs.first
      else { return nil }
      name = input
    }
    return name
  }

  /// Adds the selection to a graph.
  ///
  /// - Parameters:
  ///   - boxes: The confidences and the coordinates of all boxes.
  ///   - network: The network to add to, which knows the thresholds.
  /// - Returns: The outputs, and how to read boxes from them.
  func add(
    _ boxes: [ValueID], to network: inout ONNXNetwork
  ) throws(WeighbridgeError) -> (ports: [Port], DetectorDescription) {
    let thresholds = node.inputs[3...].map { network.values[$0]?.tensor?.doubles ?? [] }
    let classCount = network.graph.type(of: boxes[0]).shape.last?.value
    guard thresholds.allSatisfy({ $0.count == 1 && 0...1 ~= $0[0] }), let classCount else {
      throw WeighbridgeError(
        .unsupported,
        "selects boxes by thresholds that are no single numbers from 0 to 1, and only such can be read"
      ).at(layer: "\(node.name) (\(Self.kind))")
    }
    let operation = NonMaxSuppression(
      overlapThreshold: thresholds[0][0], confidenceThreshold: thresholds[1][0],
      scope: .eachClass)
    let names = [DetectionDecoding.confidence, DetectionDecoding.coordinates]
    let values = try network.add(
      operation, boxes, SourceScope(layer: node.name, className: Self.kind))
    network.decide(
      node.name,
      "the outputs boxes, labels and scores are read as \(names[0]) [boxes, classes] and \(names[1]) "
        + "[boxes, 4]: centre x, centre y, width, height; rows of zeros are no boxes")
    let detector = DetectorDescription(
      .boxes(.init(confidences: names[0], coordinates: names[1])), classCount: classCount,
      confidenceThreshold: thresholds[1][0].shortestFloat32,
      iouThreshold: thresholds[0][0].shortestFloat32, suppression: .greedy)
    return (zip(names, values).map { Port(name: $0, value: $1) }, detector)
  }
}
