import Bytes
import ConversionCore
import DarknetFormat
import GraphIR
import LayerCatalog

/// A model of another framework while it becomes sections, operator by operator.
///
/// darknet has images `[1, channels, height, width]` and takes a row of numbers for an image of
/// one place. Image axes are turned on the way; what comes out is checked against what the model's
/// own shapes say.
struct DarknetTranslation {
  /// Turns an operator into sections.
  typealias Rule =
    @Sendable (inout DarknetTranslation, Node) throws(WeighbridgeError) -> Void

  /// A value of the model as darknet has it.
  struct Flow {
    /// The section that makes it; -1 for the network's input.
    var section: Int
    /// darknet's sizes without the batch axis.
    var shape: [Int]
    /// The order in which the model sees it: of its image axes, or of those that a row was made of.
    var layout: DataLayout
    /// What a padding puts around it, for the convolution that takes it.
    var padding: Borders?

    /// Whether the model's order of the numbers is darknet's too.
    var isInOrder: Bool { layout == .channelsFirst || shape.dropFirst().allSatisfy { $0 == 1 } }
  }

  let fork: DarknetFork
  private let graph: Graph
  private let types: [TensorType]
  private let detector: DetectorDescription?
  private let consumers: [ValueID: [Int]]
  private var builder: DarknetNetworkBuilder
  private var flows: [ValueID: Flow] = [:]
  private var absorbed: Set<ValueID> = []
  private var boxes: Set<ValueID> = []
  private var weights: [String: Tensor] = [:]
  private var problems = ExportProblems()
  private var notes: Set<String> = []

  /// The files for a model.
  ///
  /// - Parameter fork: Whose darknet is to read them; by default AlexeyAB's, which knows more, but for
  ///   rows of numbers pjreddie's, since AlexeyAB's divides by 0 without an image.
  static func plan(
    _ content: ModelContent, fork: DarknetFork?
  ) throws(WeighbridgeError) -> DarknetPlan {
    let takesRows = content.graph.inputs.first.map { content.graph[$0.value].type.rank == 2 }
    let fork = fork ?? (takesRows == true ? .pjreddie : .alexeyab)
    guard fork == .pjreddie || takesRows == false else {
      throw WeighbridgeError(
        .unsupported, "AlexeyAB's darknet divides by 0 without an image (pjreddie's does not)")
    }
    var translation = try DarknetTranslation(content, fork: fork)
    for node in content.graph.nodes where !translation.absorbed.contains(node.outputs[0]) {
      translation.add(node)
    }
    try translation.checkOutputs()
    try translation.problems.check(fork.title)
    var plan = try translation.builder.finish()
    plan.weights = translation.weights
    plan.losses += translation.notes.sorted()
    return plan
  }

  private init(_ content: ModelContent, fork: DarknetFork) throws(WeighbridgeError) {
    graph = content.graph
    detector = content.description.detector
    self.fork = fork
    consumers = graph.nodes.enumerated().reduce(into: [:]) { consumers, entry in
      for id in entry.element.inputs { consumers[id, default: []].append(entry.offset) }
    }
    let input = try Self.input(graph)
    let resize = content.description.inputs.first?.image?.resize
    guard let port = graph.inputs.first,
      let net = DarknetSectionText(
        net: [1] + input.flow.shape, isLetterboxed: fork == .alexeyab && resize == .letterbox)
    else { throw Self.oneInput }
    types = try graph.specialized(to: [input.standIn])
    builder = try DarknetNetworkBuilder(fork: fork, net: net)
    flows[port.value] = input.flow
    guard (consumers[port.value] ?? []).count > 1 else { return }
    try addCopy()  // no section can name the input itself
  }

  /// Adds a section that makes what the input is.
  private mutating func addCopy() throws(WeighbridgeError) {
    var copy = DarknetSectionText("activation")
    copy.set("activation", "linear")
    try builder.add(copy)
    for id in flows.keys where flows[id]?.section == -1 { flows[id]?.section = 0 }
  }

  /// The input as darknet takes it, and a stand-in for its numbers.
  private static func input(
    _ graph: Graph
  ) throws(WeighbridgeError) -> (flow: Flow, standIn: Tensor) {
    guard graph.inputs.count == 1, let port = graph.inputs.first else { throw oneInput }
    let dimensions = graph[port.value].type.shape.dropFirst().compactMap(\.value)
    guard dimensions.count + 1 == graph[port.value].type.rank, [1, 3].contains(dimensions.count)
    else {
      throw oneInput
    }
    let layout = graph.imageLayout ?? .channelsLast
    let isLast = layout == .channelsLast && dimensions.count == 3
    let one = Tensor(
      graph[port.value].type.elementType, shape: dimensions.map { _ in 1 } + [1], [0])
    let standIn = one.broadcast(to: [1] + dimensions)
    return (
      Flow(
        section: -1, shape: isLast ? [dimensions[2], dimensions[0], dimensions[1]] : dimensions,
        layout: layout), standIn
    )
  }

  private static let oneInput = WeighbridgeError(
    .unsupported, "darknet takes one image, or one row of numbers, of known sizes")

  private mutating func add(_ node: Node) {
    do throws(WeighbridgeError) {
      switch DarknetOperators.rules[node.operation.kind] {
      case .mapped(let rule): try rule(&self, node)
      case .unsupported(let reason): throw WeighbridgeError(.unsupported, reason)
      case nil: throw WeighbridgeError(.unsupported, "\(node.operation.kind) is not known")
      }
    } catch {
      // What follows from this is no problem of its own.
      if !isBroken(node) { problems.add(node.source.callName, error.reason) }
    }
  }

  private func isBroken(_ node: Node) -> Bool {
    node.inputs.contains { graph[$0].constant == nil && flows[$0] == nil }
  }

  /// darknet gives its layers of boxes, and what the last layer makes.
  private mutating func checkOutputs() throws(WeighbridgeError) {
    if builder.next == 0 { try addCopy() }
    for port in graph.outputs {
      guard let flow = flows[port.value] else { continue }
      if flow.padding != nil { problems.add(port.name, "darknet pads nothing but convolutions") }
      guard boxes.contains(port.value) || flow.section == builder.next - 1 else {
        problems.add(
          port.name, "darknet gives what its last layer makes, and this is an earlier one")
        continue
      }
      if types[port.value.index].rank == 2, !flow.isInOrder {
        problems.add(
          port.name, "a row of an image whose channels are innermost is none in darknet")
      }
    }
  }
}

extension Graph {
  /// The order of the image axes that the first operator with one has.
  fileprivate var imageLayout: DataLayout? {
    for node in nodes {
      let entry = node.operation.attributes.entries.first { $0.name == "layout" }
      if case .text(let word)? = entry?.value { return DataLayout(rawValue: word) }
    }
    return nil
  }
}

// MARK: What rules do

extension DarknetTranslation {
  /// Records what becomes another form.
  mutating func note(_ text: String) { notes.insert(text) }

  /// A value as darknet has it.
  func flow(_ id: ValueID) throws(WeighbridgeError) -> Flow {
    guard let flow = flows[id] else {
      throw WeighbridgeError(.unsupported, "takes what darknet does not have")
    }
    return flow
  }

  /// The same without a padding around it.
  func plainFlow(_ id: ValueID) throws(WeighbridgeError) -> Flow {
    let flow = try flow(id)
    guard flow.padding == nil else {
      throw WeighbridgeError(.unsupported, "takes a padded image, as only convolutions can")
    }
    return flow
  }

  /// A weight of a node, by its slot's name.
  func weight(_ slot: String, of node: Node) -> Tensor? {
    for (position, id) in node.inputs.enumerated()
    where node.operation.slot(position)?.name == slot {
      return graph[id].constant
    }
    return nil
  }

  /// The sizes that the model says a value has.
  func shape(_ id: ValueID) -> [Int] { types[id.index].fixedShape ?? [] }

  /// Whether a value is a constant of the model.
  func isConstant(_ id: ValueID) -> Bool { graph[id].constant != nil }

  /// The one node that takes what a node makes, where the model does not give it.
  func follower(_ node: Node) -> Node? {
    let id = node.outputs[0]
    guard let positions = consumers[id], positions.count == 1,
      !graph.outputs.contains(where: { $0.value == id })
    else { return nil }
    return graph.nodes[positions[0]]
  }

  /// Makes a node part of a section that is being made.
  mutating func absorb(_ node: Node) { absorbed.insert(node.outputs[0]) }

  /// Lets a value be another one seen otherwise, or a section's output.
  mutating func define(_ node: Node, as flow: Flow) { flows[node.outputs[0]] = flow }

  /// Makes a value the next section's input.
  mutating func select(_ flow: Flow) throws(WeighbridgeError) {
    guard flow.section != builder.next - 1 else { return }
    guard flow.section >= 0 else { throw WeighbridgeError(.unsupported, "takes the input again") }
    var route = DarknetSectionText("route")
    route.set("layers", flow.section)
    try builder.add(route)
  }

  /// Adds the section of a node that works on what the section before made.
  ///
  /// - Parameters:
  ///   - weights: The weights by the roles that reading gives them.
  ///   - last: The last node that the section stands for.
  mutating func add(
    _ section: DarknetSectionText, last: Node, layout: DataLayout,
    weights: [String: Tensor] = [:]
  ) throws(WeighbridgeError) {
    let (position, type) = try builder.add(section)
    guard let dimensions = type?.fixedShape else { return }
    let flow = Flow(section: position, shape: Array(dimensions.dropFirst()), layout: layout)
    let wanted = shape(last.outputs[0])
    guard Self.agree(flow, wanted) else {
      throw WeighbridgeError(
        .unsupported, "makes \(wanted), and a [\(section.name)] section \(dimensions)")
    }
    for (role, tensor) in weights { self.weights[builder.weightName(position, role)] = tensor }
    flows[last.outputs[0]] = flow
    let port = graph.outputs.first { $0.value == last.outputs[0] }
    if let port, let detector, detector.heads.contains(where: { $0.output == port.name }) {
      try addBoxes(detector, port)
    }
  }

  /// Whether sizes are those of the model's value, up to the order of the image axes.
  private static func agree(_ flow: Flow, _ wanted: [Int]) -> Bool {
    guard wanted.count == 4, flow.shape.count == 3 else {
      return wanted.dropFirst().reduce(1, *) == flow.shape.reduce(1, *)
    }
    let own = wanted.dropFirst()
    return flow.shape
      == (flow.layout == .channelsFirst ? Array(own) : [wanted[3], wanted[1], wanted[2]])
  }

  /// Adds the layer of boxes that the description says an output is meant for, where darknet has one
  /// that applies the activations which the output lacks.
  private mutating func addBoxes(
    _ detector: DetectorDescription, _ port: Port
  ) throws(WeighbridgeError) {
    let isPlain =
      detector.activated.isEmpty && detector.classTree == nil && detector.hasObjectness
      && !detector.hasBackground && [.yolo, .region].contains(detector.kind)
    guard isPlain else { return note("darknet has no section for what the detector record says") }
    var section = DarknetSectionText(detector.kind == .yolo ? "yolo" : "region")
    try section.set(detector, of: port.name)
    if detector.kind == .region { section.flag("softmax", true) }
    try builder.add(section)
    boxes.insert(port.value)
    note("the detector record became a [\(section.name)] section, which darknet computes too")
  }

  /// The numbers of a batch normalisation as darknet has them, by their roles.
  ///
  /// - Parameter bias: Of the convolution before, which moves the means.
  mutating func statistics(
    _ node: Node, bias: Tensor?
  ) throws(WeighbridgeError) -> [String: Tensor] {
    guard let operation = node.operation as? BatchNormalization,
      let mean = weight("mean", of: node), let variance = weight("variance", of: node)
    else { throw WeighbridgeError(.unsupported, "is no batch normalisation") }
    let count = mean.shape
    let constant = { (number: Double) in
      Tensor(.float32, shape: count, [Double](repeating: number, count: count[0]))
    }
    var moved = mean
    if let bias {
      note("biases before a batch normalisation are in its means")
      moved = Tensor(.float32, shape: count, zip(mean.doubles, bias.doubles).map { $0 - $1 })
    }
    return [
      "gamma": weight("gamma", of: node) ?? constant(1),
      "beta": weight("beta", of: node) ?? constant(0), "mean": moved,
      "variance": try raised(variance, epsilon: operation.epsilon),
    ]
  }

  /// The variance that gives the same with darknet's epsilon: 10⁻⁵ in AlexeyAB's; in pjreddie's the
  /// graph has none.
  private mutating func raised(
    _ variance: Tensor, epsilon: Double
  ) throws(WeighbridgeError) -> Tensor {
    let own = fork == .alexeyab ? 1e-5 : 0
    let difference = epsilon - own
    if difference.magnitude < 1e-12 { return variance }
    note(
      "the epsilon \(Float(epsilon)) of batch normalisations is in their variances, less darknet's")
    let numbers = variance.doubles.map { $0 + difference }
    guard numbers.allSatisfy({ $0 >= 0 }) else {
      throw WeighbridgeError(.unsupported, "its variances are below darknet's epsilon")
    }
    return Tensor(.float32, shape: variance.shape, numbers)
  }
}
