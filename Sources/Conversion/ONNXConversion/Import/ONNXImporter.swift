import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// Converts the nodes of an ONNX file to a graph.
///
/// Everything constant is computed at once: `Constant` nodes and arithmetic on shapes. The rest
/// becomes operators of the catalog, channels-first as in ONNX, with the weights in their canonical
/// order.
struct ONNXImporter {
  /// The opsets that can be read.
  static let opsets = 1...28

  /// The result of an import.
  struct Result {
    let graph: Graph
    let decisions: [Provenance.Decision]
    /// The detector, where the file performs non-maximum suppression.
    let detector: DetectorDescription?
  }

  private var model: ONNXModel
  private let stated: ONNXStatedInputs
  private let readTensor: ONNXNetwork.TensorReader

  /// - Parameters:
  ///   - stated: What the user states for the inputs.
  ///   - readTensor: Reads the elements of a tensor of the file.
  init(
    _ model: ONNXModel, stated: ONNXStatedInputs,
    readTensor: @escaping ONNXNetwork.TensorReader
  ) {
    self.model = model
    self.stated = stated
    self.readTensor = readTensor
  }

  /// Imports the graph.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` with all unknown operators, or at the node
  ///   that is not supported; ``WeighbridgeError/Code/malformed``.
  mutating func run() throws(WeighbridgeError) -> Result {
    guard Self.opsets.contains(model.opset) else {
      throw .unsupported(
        "uses the operators of ONNX's opset \(model.opset), and \(Self.opsets.lowerBound) to "
          + "\(Self.opsets.upperBound) can be read")
    }
    try stated.apply(to: &model.graph)
    let order = try ONNXTopologicalOrder.sorted(model.graph)
    model.graph = order.graph
    let selection = ONNXBoxSelection(model.graph)
    if let selection { model.graph = selection.network }
    let counts = model.graph.operatorCounts
    try ONNXUnsupportedOperators(counts).check()
    var network = ONNXNetwork(
      opset: model.opset, names: model.graph.valueNames, readTensor: readTensor)
    if order.outOfOrderCount > 0 {
      network.decide(
        "",
        order.outOfOrderCount == 1
          ? "a node comes before one that it reads from; the nodes were put in order"
          : "\(order.outOfOrderCount) nodes come before others that they read from; the nodes "
            + "were put in order")
    }
    try addWeightsAndInputs(&network)
    for (position, node) in model.graph.nodes.enumerated() {
      let source = Self.source(node)
      network = try Self.add(
        node, source, place: source.place(position), keepsNames: true, to: consume network)
    }
    let (graph, detector) = try graph(&network, selection)
    return Result(graph: graph, decisions: network.decisions, detector: detector)
  }

  /// Adds the weights and the inputs. An input with a weight's name is optional and takes the
  /// weight's value, unless it is fixed.
  private func addWeightsAndInputs(_ network: inout ONNXNetwork) throws(WeighbridgeError) {
    for tensor in model.graph.initializers where !stated.isFixed(tensor.name) {
      let elements = try locating({ $0.at(layer: "the weight \(tensor.name)") }) {
        () throws(WeighbridgeError) in try readTensor(tensor)
      }
      network.countStored(elements)
      try network.define(
        tensor.name, .constant(tensor.name, elements), narrowType: tensor.narrowType)
    }
    for feature in model.graph.inputs {
      if let (text, tensor) = try stated.value(of: feature) {
        try network.define(feature.name, .constant(feature.name, tensor))
        network.decide(
          "",
          "the input \(feature.name) is fixed at \(text), and is no input of the model any more")
      } else if network.values[feature.name] != nil {
        // Before IR version 4, every weight was also among the inputs.
        if model.irVersion >= 4 {
          network.decide(
            feature.name, "this optional input is removed; its default value is used")
        }
      } else if let problem = feature.problem {
        throw .unsupported("the input \(feature.name) \(problem)")
      } else {
        try network.addInput(feature)
      }
    }
  }

  /// Returns the graph without the nodes that no output needs.
  private func graph(
    _ network: inout ONNXNetwork, _ selection: ONNXBoxSelection?
  ) throws(WeighbridgeError) -> (Graph, DetectorDescription?) {
    var ports: [Port] = []
    for feature in model.graph.outputs {
      guard let value = network.values[feature.name] else {
        throw .malformed("no node gives the output \(feature.name), and each output needs one")
      }
      ports.append(Port(name: feature.name, value: try network.output(feature.name, value)))
    }
    var detector: DetectorDescription?
    if let selection { (ports, detector) = try selection.add(ports.map(\.value), to: &network) }
    let fullGraph = try network.graph.finish(outputs: ports)
    let graph = try GraphCopy(fullGraph, for: ports.map(\.value)).finish()
    return (graph, detector)
  }

  /// Adds a node to a network.
  ///
  /// - Parameters:
  ///   - place: The node's location for errors; `nil` when the caller adds it.
  ///   - keepsNames: Whether the node's outputs keep their names in the file.
  static func add(
    _ node: ONNXNode, _ source: SourceScope, place: String? = nil, keepsNames: Bool,
    to network: consuming ONNXNetwork
  ) throws(WeighbridgeError) -> ONNXNetwork {
    do throws(WeighbridgeError) {
      guard network.opset < ONNXEarlyNodes.end else {
        return try add(node, source, keepsNames: keepsNames, to: consume network)
      }
      var network = consume network
      let early = try ONNXEarlyNodes(node, layer: source.layer, in: &network)
      for helper in early.helpers {
        network = try add(helper, Self.source(helper), keepsNames: false, to: consume network)
      }
      return try add(early.node, source, keepsNames: keepsNames, to: consume network)
    } catch { throw place.map { error.at(layer: $0) } ?? error }
  }

  /// Adds a node of an opset from 7 on.
  private static func add(
    _ node: ONNXNode, _ source: SourceScope, keepsNames: Bool, to network: consuming ONNXNetwork
  ) throws(WeighbridgeError) -> ONNXNetwork {
    guard let build = ONNXOperators.builder(node.kind) else {
      throw .unsupported("the operator \(node.kind.fullName) cannot be read")
    }
    if let name = node.outputs.first(where: { network.values[$0] != nil }) {
      throw .malformed("two values are called \(name), and each needs a name of its own")
    }
    return try ONNXLayer(
      node, source: source, keepsNames: keepsNames, network: consume network
    ).built { (layer) throws(WeighbridgeError) in try layer.builtOnNumbers(by: build) }
  }

  static func source(_ node: ONNXNode) -> SourceScope {
    let name = node.name.isEmpty ? node.outputs.first { !$0.isEmpty } : node.name
    return SourceScope(layer: name ?? node.operation, className: node.operation)
  }

  /// Returns the reason why a node cannot be read, judging by its operator and those of its bodies;
  /// `nil` if there is none.
  static func problem(of node: ONNXNode) -> String? {
    guard ONNXOperators.builder(node.kind) != nil else {
      return "the operator \(node.kind.fullName) cannot be read"
    }
    for case (_, .graph(let body)) in node.attributes {
      if let problem = body.nodes.lazy.compactMap(problem).first { return problem }
    }
    return nil
  }
}

extension ONNXFeature {
  /// The type in the graph.
  var type: TensorType {
    TensorType(
      elementType,
      shape.map { dimension in
        switch dimension {
        case .fixed(let value): .fixed(value)
        case .named(let name): .symbolic(name)
        case .unknown: .unknown
        }
      })
  }
}
