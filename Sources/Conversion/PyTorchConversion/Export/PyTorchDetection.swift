import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

/// The method that decodes the boxes of a detector's heads, for one image.
enum PyTorchDetection {
  /// The description of a detector with an image as its input, which has the axes of the first
  /// operator on images if nothing is said of it: boxes are fractions of the input's size, however an
  /// image becomes the input.
  static func describingInput(_ content: ModelContent) -> ModelDescription {
    var description = content.description
    let layouts = content.graph.nodes.lazy.compactMap {
      ($0.operation as? any ImageOperator)?.layout
    }
    guard description.detector != nil, description.inputs.count == 1,
      description.inputs[0].image == nil, let layout = layouts.first
    else { return description }
    description.inputs[0].image = ImageInput(
      colorOrder: .rgb, scale: 1, bias: [0, 0, 0], resize: nil, layout: layout)
    return description
  }

  /// Adds what the method computes.
  ///
  /// - Returns: `nil` for a model that is no detector, or gives boxes itself.
  /// - Throws: What ``HeadDecoding`` throws.
  static func method(
    _ model: PreparedModel, _ builder: inout PyTorchBuilder
  ) throws(WeighbridgeError) -> PythonMethod? {
    guard let detector = model.description.detector, detector.kind != .boxes else { return nil }
    let interface = try DetectorInterface(model.graph, model.description)
    let heads = try model.graph.heads(of: detector)
    var graph = GraphBuilder()
    var ids: [ValueID] = []
    for (name, head) in zip(detector.outputs, heads) {
      var type = model.graph[head].type
      if type.rank > 0 { type.shape[0] = 1 }
      ids.append(try graph.addInput(name, type))
    }
    var decoding = HeadDecoding(
      detector, layout: interface.input.image.layout, inputWidth: interface.width,
      inputHeight: interface.height, graph: graph)
    let boxes = try decoding.decode(ids)
    let decoded = try decoding.graph.finish(outputs: [
      Port(name: DetectionDecoding.confidence, value: boxes.confidence),
      Port(name: DetectionDecoding.coordinates, value: boxes.coordinates),
    ])
    let inputs = decoded.inputs.map { builder.addInput(decoded[$0.value].type) }
    let start = builder.statements.count
    builder.trainable = []
    let outputs = try builder.emit(decoded, inputs: inputs, groups: ExportGroups())
    var names = PythonNames()
    let results = outputs.map(\.name)
    return PythonMethod(
      name: "decode",
      documentation:
        "The boxes of one image: confidences by class, and center x, center y, width and height.",
      parameters: zip(decoded.inputs, inputs).map { (names.unused($0.name), $1.name) },
      statements: Array(builder.statements[start...]).needed(for: results, renaming: [:]),
      results: outputs.map { "\($0)" })
  }
}
