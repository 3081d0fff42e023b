import Bytes
import ConversionCore
import DarknetFormat
import GraphIR

/// Recovers the sections of a model that came from darknet from its nodes.
///
/// Each section is read again as it is built, and in the end every operator must be the same as in
/// the model, so that a wrongly recovered setting is detected before anything is written.
struct DarknetSectionRecovery {
  private let graph: Graph
  private let detector: DetectorDescription?
  private var builder: DarknetNetworkBuilder
  private var problems = LayerProblems()
  /// The position of the section that produced each value or first read each weight.
  private var sectionIndices: [ValueID: Int] = [:]

  /// Plans the files for a model.
  static func plan(
    _ content: ModelContent, fork: DarknetFork
  ) throws(WeighbridgeError) -> DarknetPlan {
    var recovery = try DarknetSectionRecovery(content, fork: fork)
    for nodes in content.graph.sourceLayers { recovery.add(nodes) }
    try recovery.problems.check { "\(fork.title) has no form for \($0)" }
    var plan = try recovery.builder.finish()
    plan.weights = try DarknetMatch(plan, original: content.graph).weights()
    return plan
  }

  private init(_ content: ModelContent, fork: DarknetFork) throws(WeighbridgeError) {
    graph = content.graph
    detector = content.description.detector
    guard let net = DarknetSectionText(net: content, fork: fork) else {
      throw .unsupported(
        "takes other inputs than one image or one row of numbers of known sizes, and darknet can take those only"
      )
    }
    builder = try DarknetNetworkBuilder(fork: fork, net: net)
  }

  private mutating func add(_ nodes: [Node]) {
    let source = nodes[0].source
    do throws(WeighbridgeError) {
      let layer = DarknetRecoveredLayer(
        nodes: nodes, graph: graph, fork: builder.fork,
        sectionIndices: sectionIndices, detector: detector)
      guard let describe = DarknetSections.all[nodes[0].source.className]?.describe else {
        throw .unsupported("is no layer of darknet's, and only those can be written")
      }
      var section = DarknetSectionText(layer.sectionName)
      try describe(layer, &section)
      let position = try builder.add(section).position
      for node in nodes {
        for id in node.outputs { sectionIndices[id] = position }
        for id in node.inputs where graph[id].constant != nil && sectionIndices[id] == nil {
          sectionIndices[id] = position
        }
      }
    } catch {
      problems.add(source.layer, error.reason)
      for id in nodes.flatMap(\.outputs) { sectionIndices[id] = 0 }
    }
  }
}

extension Graph {
  /// The nodes of each layer of the source, in their order.
  fileprivate var sourceLayers: [[Node]] {
    var layers: [[Node]] = []
    for node in nodes {
      if let last = layers.last?.first, last.source.layer == node.source.layer {
        layers[layers.count - 1].append(node)
      } else {
        layers.append([node])
      }
    }
    return layers
  }
}

extension DarknetSectionText {
  /// Creates the network's own section; `nil` if the model takes anything but one image,
  /// `[batch, channels, height, width]`, or one row, `[batch, n]`.
  init?(net content: ModelContent, fork: DarknetFork) {
    guard content.graph.inputs.count == 1,
      let shape = content.graph[content.graph.inputs[0].value].type.singleExampleShape
    else { return nil }
    let resize = content.description.inputs.first?.image?.resize
    self.init(net: shape, isLetterboxed: fork == .alexeyab && resize == .letterbox)
  }

  /// Creates the network's own section for an input of a shape with the channels second.
  init?(net shape: [Int], isLetterboxed: Bool) {
    guard shape.first == 1, [2, 4].contains(shape.count) else { return nil }
    self.init("net")
    set("batch", 1)
    if shape.count == 2 { set("inputs", shape[1]) }
    for (key, dimension) in zip(["channels", "height", "width"], shape.dropFirst())
    where shape.count == 4 {
      set(key, dimension)
    }
    flag("letter_box", isLetterboxed)
  }
}

/// Compares the network that results from reading the files again with the model.
struct DarknetMatch {
  private let plan: DarknetPlan
  private let original: Graph

  init(_ plan: DarknetPlan, original: Graph) {
    (self.plan, self.original) = (plan, original)
  }

  /// Returns the model's weights, by the names that they get when the files are read.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` at the first layer that would differ.
  func weights() throws(WeighbridgeError) -> [String: Tensor] {
    let copy = plan.graph
    var counterparts = Dictionary(
      zip(copy.inputs, original.inputs).map { ($0.value, $1.value) },
      uniquingKeysWith: { first, _ in first })
    var weights: [String: Tensor] = [:]
    let storedNames = Set(plan.storedWeights.map(\.name))
    for (node, expected) in zip(copy.nodes, original.nodes) {
      let isSame =
        node.operation.kind == expected.operation.kind
        && node.operation.attributes == expected.operation.attributes
        && node.inputs.count == expected.inputs.count
      guard isSame else { throw Self.difference(expected) }
      for (id, counterpart) in zip(node.inputs, expected.inputs) {
        if let tensor = copy[id].constant {
          guard let weight = original[counterpart].constant, weight.shape == tensor.shape,
            storedNames.contains(copy[id].name) || weight.doubles == tensor.doubles
          else { throw Self.difference(expected) }
          weights[copy[id].name] = weight
        } else if counterparts[id] != counterpart {
          throw Self.difference(expected)
        }
      }
      for (id, counterpart) in zip(node.outputs, expected.outputs) {
        counterparts[id] = counterpart
      }
    }
    let outputs = copy.outputs.map { counterparts[$0.value] }
    guard copy.nodes.count == original.nodes.count, outputs == original.outputs.map(\.value) else {
      throw .unsupported(
        "gives other outputs than its boxes and its last layer, and darknet can give those only")
    }
    return weights
  }

  private static func difference(_ node: Node) -> WeighbridgeError {
    LayerProblems.error([
      "\(node.source.callName): its \(node.operation.kind) is not what "
        + "a [\(node.source.className)] section computes"
    ]) { "darknet has no form for \($0)" }
  }
}
