import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog

extension CoreMLImporter {
  /// Imports an ML Program, and the non-maximum suppression of its boxes.
  ///
  /// - Parameter members: The program, and what follows it.
  func run(
    _ program: MILProgram, _ model: CoreMLModel, _ members: [Member]
  ) throws(WeighbridgeError) -> Result {
    guard let files else { preconditionFailure("the files of constants were not opened") }
    let read = try MILImporter(program, files).run()
    let scaling = try MILPixelScaling(read.graph, images: model.description.imageNames)
    let imported = MILImporter.Result(
      graph: scaling.graph, decisions: read.decisions, labels: read.labels)
    var interface = CoreMLFeatures(model.description)
    try checkInputs(imported.graph, members[0].description)
    var copy = try GraphCopy(imported.graph, for: imported.graph.outputs.map(\.value))
    var values: [String: ValueID] = [:]
    for port in imported.graph.outputs { values[port.name] = try copy.copy(of: port.value) }
    for member in members.dropFirst() {
      guard let suppression = member.suppression else {
        throw .unsupported(
          "is a pipeline of an ML Program and another model than non-maximum suppression")
      }
      try add(suppression, to: &copy.builder, &interface, &values)
    }
    var ports: [Port] = []
    for (name, feature) in tensorOutputs(model.description, imported) {
      guard let value = values[name] else {
        throw .malformed("no operation gives the output \(feature), and each output needs one")
      }
      ports.append(Port(name: feature, value: value))
    }
    let graph = try copy.builder.finish(outputs: ports)
    var description = interface.description(of: graph, members)
    if !imported.labels.isEmpty { description.labels = imported.labels }
    for index in description.inputs.indices {
      guard let (scale, bias) = scaling.scaling[description.inputs[index].name] else { continue }
      description.inputs[index].image?.scale = scale.shortestFloat32
      description.inputs[index].image?.bias = bias.map(\.shortestFloat32)
    }
    return Result(
      graph: graph, description: description, decisions: imported.decisions + interface.decisions,
      hasHeads: members.count == 1)
  }

  /// The description and the program must state the same inputs.
  private func checkInputs(
    _ graph: Graph, _ description: CoreMLDescription
  ) throws(WeighbridgeError) {
    let (own, described) = (Set(graph.inputs.map(\.name)), Set(description.inputs.map(\.name)))
    guard own == described else {
      throw .malformed(
        "describes the inputs \(described.sorted()), and its program takes \(own.sorted())")
    }
  }

  /// The names of the program's values that are outputs, and those of the features. A classifier's
  /// class is no tensor.
  private func tensorOutputs(
    _ description: CoreMLDescription, _ imported: MILImporter.Result
  ) -> [(value: String, feature: String)] {
    description.outputs.compactMap { feature in
      switch feature.type {
      case .multiArray, .image: (feature.name, feature.name)
      case .dictionary: imported.graph.outputs.first.map { ($0.name, feature.name) }
      default: nil
      }
    }
  }

  private func add(
    _ suppression: CoreMLSuppression, to builder: inout GraphBuilder,
    _ interface: inout CoreMLFeatures, _ values: inout [String: ValueID]
  ) throws(WeighbridgeError) {
    let names = [suppression.inputs.confidence, suppression.inputs.coordinates]
    let inputs = names.compactMap { values[$0] }
    guard inputs.count == 2, inputs.allSatisfy({ builder.type(of: $0).rank == 2 }) else {
      throw .malformed(
        "the program does not give \(names), two matrices that the suppression needs")
    }
    let boxes = try builder.addNode(
      try interface.operation(suppression), inputs: inputs,
      source: SourceScope(layer: "nonMaximumSuppression", className: "NonMaximumSuppression"))
    values[suppression.outputs.confidence] = boxes[0]
    values[suppression.outputs.coordinates] = boxes[1]
  }
}

extension CoreMLModel {
  /// The program of the model, or of the first member of a pipeline.
  var program: MILProgram? {
    switch content {
    case .program(let program): program
    case .pipeline(let pipeline), .pipelineClassifier(let pipeline),
      .pipelineRegressor(let pipeline):
      // A member is no pipeline itself, or it is refused.
      if case .program(let program)? = pipeline.models.first?.content { program } else { nil }
    default: nil
    }
  }
}

extension MILBlock {
  /// The operations without constants.
  var computed: [MILOperation] { operations.filter { $0.type != "const" } }
}

extension CoreMLDescription {
  /// The number of components of each input that is an image, by name.
  fileprivate var imageNames: [String: Int] {
    var counts: [String: Int] = [:]
    for feature in inputs {
      if case .image(let image) = feature.type {
        counts[feature.name] = image.colors.componentCount
      }
    }
    return counts
  }
}
