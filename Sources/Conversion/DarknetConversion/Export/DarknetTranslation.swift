import Bytes
import ConversionCore
import DarknetFormat
import GraphIR
import LayerCatalog

/// A translation of a model from another framework to sections, operator by operator.
///
/// darknet has images `[1, channels, height, width]` and treats a row of values as an image with
/// one element per channel. A section reads the output of the previous section and may include a
/// batch normalization and an activation. The axis order of images may differ from the model's; the
/// shapes of outputs are checked against it.
struct DarknetTranslation: ExportBuilder {
  static var table: ExportTable<DarknetTranslation> { DarknetOperators.table }
  static let foldsConstants = true
  static let wrapsIntegers = false

  let fork: DarknetFork
  var target: String { fork.title }
  var scope = ExportScope<DarknetValue>()

  let graph: Graph
  /// The positions of the nodes that read a value.
  let consumers: [ValueID: [Int]]
  private let detector: DetectorDescription?
  private let modelInput: DarknetValue
  private var sections: DarknetNetworkBuilder
  private var weights: [String: Tensor] = [:]
  private var notes: Set<String> = []
  /// The outputs that became box layers.
  private var boxes: Set<ValueID> = []
  /// The node being written, and the nodes after it that are part of its section.
  var nodes: [Node] = []
  /// The outputs of nodes that became part of an earlier node's section.
  private var absorbed: [ValueID: DarknetSectionOutput] = [:]

  /// Plans the files for a model.
  ///
  /// - Parameter fork: The fork of darknet that is to read them; by default AlexeyAB's, which
  ///   supports more, but pjreddie's for inputs that are rows of values, since AlexeyAB's divides
  ///   by 0 without an image.
  static func plan(
    _ content: ModelContent, fork: DarknetFork?
  ) throws(WeighbridgeError) -> DarknetPlan {
    let takesRows = content.graph.inputs.first.map { content.graph[$0.value].type.rank == 2 }
    let fork = fork ?? (takesRows == true ? .pjreddie : .alexeyab)
    guard fork == .pjreddie || takesRows == false else {
      throw .unsupported(
        "takes no image, without which AlexeyAB's darknet divides by 0; pjreddie's can read it "
          + "(\(APIName.exportDarknet) pjreddie)")
    }
    var translation = try DarknetTranslation(content, fork: fork)
    let outputs = try translation.emit(
      content.graph, inputs: [translation.modelInput], groups: ExportGroups())
    try translation.checkOutputs(outputs)
    var plan = try translation.sections.finish()
    plan.weights = translation.weights
    plan.losses += translation.notes.sorted()
    return plan
  }

  private init(_ content: ModelContent, fork: DarknetFork) throws(WeighbridgeError) {
    graph = content.graph
    detector = content.description.detector
    self.fork = fork
    consumers = graph.readers
    guard graph.inputs.count == 1, let port = graph.inputs.first,
      var source = Self.inputSource(graph, graph[port.value].type),
      let net = DarknetSectionText(
        net: [1] + source.shape,
        isLetterboxed: fork == .alexeyab
          && content.description.inputs.first?.image?.resize == .letterbox)
    else {
      throw .unsupported(
        "takes other inputs than one image or one row of numbers of known sizes, and darknet can take those only"
      )
    }
    sections = try DarknetNetworkBuilder(fork: fork, net: net)
    if (consumers[port.value] ?? []).count > 1 {  // no section can name the input itself
      try Self.addCopy(to: &sections)
      source.section = 0
    }
    let type = graph[port.value].type
    modelInput = DarknetValue(
      source, TensorType(type.elementType, [.fixed(1)] + type.shape.dropFirst()))
  }

  /// Adds a section that copies the input.
  private static func addCopy(
    to sections: inout DarknetNetworkBuilder
  ) throws(WeighbridgeError) {
    var copy = DarknetSectionText("activation")
    copy.set("activation", "linear")
    try sections.add(copy)
  }

  /// The network's input in darknet; `nil` if darknet cannot take it.
  private static func inputSource(_ graph: Graph, _ type: TensorType) -> DarknetSectionOutput? {
    let dimensions = type.shape.dropFirst().compactMap(\.value)
    guard dimensions.count + 1 == type.rank, [1, 3].contains(dimensions.count) else { return nil }
    let layout = graph.imageLayout ?? .channelsLast
    let isLast = layout == .channelsLast && dimensions.count == 3
    return DarknetSectionOutput(
      section: -1, shape: isLast ? [dimensions[2], dimensions[0], dimensions[1]] : dimensions,
      layout: layout)
  }

  func value(_ output: DarknetSectionOutput, _ type: TensorType) -> DarknetValue {
    DarknetValue(output, type)
  }

  /// The sections themselves report what they cannot produce.
  func problem(of type: TensorType) -> String? { nil }

  mutating func emit(
    _ step: ExportStep<DarknetValue>
  ) throws(WeighbridgeError) -> [DarknetValue] {
    if let output = absorbed[step.node.outputs[0]] {
      return [value(output, step.outputTypes[0])]
    }
    // The section of a decomposed node cannot include nodes that follow it.
    if let operation = step.node.operation as? any CatalogOperator,
      case .mapped = Self.table.mapping(of: operation)
    {
      nodes = [step.node]
    } else {
      nodes = []
    }
    let outputs = try apply(
      step.node.operation, named: step.node.name, step.inputs[0], isUsed: step.isUsed)
    for node in nodes.dropFirst() { absorbed[node.outputs[0]] = outputs[0].output }
    return outputs
  }

  /// Checks the model's outputs: darknet returns its box layers and the output of the last layer.
  private mutating func checkOutputs(_ outputs: [DarknetValue]) throws(WeighbridgeError) {
    var problems = LayerProblems()
    let isEmpty = sections.nextPosition == 0
    if isEmpty { try Self.addCopy(to: &sections) }
    for (port, value) in zip(graph.outputs, outputs) {
      guard let output = value.output else {
        problems.add(port.name, "darknet gives what its layers make, and this is a constant")
        continue
      }
      if output.padding != nil { problems.add(port.name, "darknet pads nothing but convolutions") }
      if !isEmpty, output.section != sections.nextPosition - 1, !boxes.contains(port.value) {
        problems.add(
          port.name, "darknet gives what its last layer makes, and this is an earlier one")
      } else if value.type.rank == 2, !output.hasDarknetOrder {
        problems.add(
          port.name, "a row of an image whose channels are innermost is none in darknet")
      }
    }
    try problems.check { "\(fork.title) has no form for \($0)" }
  }
}

extension Graph {
  /// The axis order of the first operator that states one.
  fileprivate var imageLayout: DataLayout? {
    nodes.lazy.compactMap { ($0.operation as? any ImageOperator)?.layout }.first
  }
}

// MARK: Operations of rules

extension DarknetTranslation {
  /// Records a loss.
  mutating func note(_ text: String) { notes.insert(text) }

  /// The section output that is an input of the operator.
  func source(_ position: Int = 0) throws(WeighbridgeError) -> DarknetSectionOutput {
    guard let output = operands[position].output else {
      throw .unsupported("takes a constant, and darknet can hold weights of its own layers only")
    }
    return output
  }

  /// The section output that is an input of the operator and must have no padding around it.
  func unpaddedSource(_ position: Int = 0) throws(WeighbridgeError) -> DarknetSectionOutput {
    let output = try source(position)
    guard output.padding == nil else {
      throw .unsupported(
        "takes a padded image, and in darknet only a convolution or a pooling can pad")
    }
    return output
  }

  /// The weights of the operator that is being written, by the names of their slots.
  func weights(of operation: any CatalogOperator) -> [String: Tensor] {
    Self.weights(operation, operands.map(\.constant))
  }

  static func weights(
    _ operation: any Operator, _ inputs: [Tensor?]
  ) -> [String: Tensor] {
    inputs.enumerated().reduce(into: [:]) { weights, input in
      if let slot = operation.slot(input.offset) { weights[slot.name] = input.element }
    }
  }

  /// Makes a value the input of the next section.
  mutating func select(_ output: DarknetSectionOutput) throws(WeighbridgeError) {
    guard output.section != sections.nextPosition - 1 else { return }
    guard output.section >= 0 else {
      throw .unsupported("takes the network's input, and a section of darknet can name layers only")
    }
    var route = DarknetSectionText("route")
    route.set("layers", output.section)
    try sections.add(route)
  }

  /// Adds the section of the operator, which reads the previous section's output.
  ///
  /// - Parameter weights: The weights, by the roles that they get when the section is read.
  mutating func add(
    _ section: DarknetSectionText, layout: DataLayout, weights: [String: Tensor] = [:]
  ) throws(WeighbridgeError) -> DarknetSectionOutput {
    let (position, type) = try sections.add(section)
    let dimensions = type?.singleExampleShape ?? []
    let output = DarknetSectionOutput(
      section: position, shape: Array(dimensions.dropFirst()), layout: layout)
    guard output.agrees(with: outputType) else {
      throw .unsupported(
        "gives \(outputType.shape), and darknet's [\(section.name)] can only give \(dimensions)")
    }
    for (role, tensor) in weights { self.weights[sections.weightName(position, role)] = tensor }
    let port = graph.outputs.first { $0.value == nodes.last?.outputs[0] }
    if let port, let detector, detector.outputs.contains(port.name) {
      try addBoxes(detector, port)
    }
    return output
  }

  /// Adds the box layer for an output with boxes, if darknet has a box layer that applies the
  /// activations that the output lacks.
  private mutating func addBoxes(
    _ detector: DetectorDescription, _ port: Port
  ) throws(WeighbridgeError) {
    guard let grid = detector.grid, detector.kind != .gaussianYOLO, detector.activated.isEmpty,
      grid.classTree == nil, grid.hasObjectness, !grid.hasBackground
    else { return note("darknet has no section for what the detector record says") }
    var section = DarknetSectionText(detector.kind == .yolo ? "yolo" : "region")
    try section.set(detector, of: port.name)
    if detector.kind == .region { section.flag("softmax", true) }
    try sections.add(section)
    boxes.insert(port.value)
    note("the detector record became a [\(section.name)] section, which darknet computes too")
  }
}
