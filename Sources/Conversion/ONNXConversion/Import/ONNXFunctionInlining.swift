import Bytes
import GraphIR
import ONNXFormat

/// Replaces the nodes that use functions of the file by the functions' nodes, whose values get names
/// that begin with that of the node.
struct ONNXFunctionInlining {
  /// How many nodes functions may become in all their uses.
  private static let maximumNodeCount = 1 << 16
  /// How deep functions may be in one another.
  private static let maximumDepth = 64

  private let functions: [ONNXOutline.Operator: ONNXFunction]
  private let opset: Int
  private var names: UniqueNames
  private var nodeCount = 0

  private init(_ model: ONNXModel) throws(WeighbridgeError) {
    var functions: [ONNXOutline.Operator: ONNXFunction] = [:]
    for function in model.functions {
      guard functions.updateValue(function, forKey: function.kind) == nil else {
        throw .malformed(
          "the function \(function.kind.fullName) is defined twice, and each needs a name of its own"
        )
      }
    }
    self.functions = functions
    opset = model.opset
    names = UniqueNames(Array(model.graph.valueNames))
  }

  /// Returns a model without functions.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed``; ``WeighbridgeError/Code/unsupported`` for a
  ///   function of another opset; ``WeighbridgeError/Code/limitExceeded`` for too many nodes.
  static func inlined(_ model: ONNXModel) throws(WeighbridgeError) -> ONNXModel {
    guard !model.functions.isEmpty else { return model }
    var inlining = try Self(model)
    var result = model
    result.graph.nodes = try inlining.nodes(model.graph.nodes, inside: [])
    return result
  }

  /// - Parameter callers: The functions that the nodes are in, outermost first.
  private mutating func nodes(
    _ nodes: [ONNXNode], inside callers: [ONNXOutline.Operator]
  ) throws(WeighbridgeError) -> [ONNXNode] {
    var result: [ONNXNode] = []
    for original in nodes {
      var node = original
      for case (let position, (_, .graph(var body))) in original.attributes.enumerated() {
        body.nodes = try self.nodes(body.nodes, inside: callers)
        node.attributes[position].value = .graph(body)
      }
      guard let function = functions[node.kind] else {
        result.append(node)
        continue
      }
      let place = ONNXImporter.source(node).layer
      result += try locating({ $0.at(layer: place) }) { () throws(WeighbridgeError) in
        try expansion(of: node, function, inside: callers)
      }
    }
    return result
  }

  private mutating func expansion(
    of node: ONNXNode, _ function: ONNXFunction, inside callers: [ONNXOutline.Operator]
  ) throws(WeighbridgeError) -> [ONNXNode] {
    try check(node, function, callers)
    var call = FunctionCall(node, function, scope: ONNXImporter.source(node).layer)
    let nodes = call.nodes(renamedBy: &names)
    return try self.nodes(nodes, inside: callers + [function.kind])
  }

  private mutating func check(
    _ node: ONNXNode, _ function: ONNXFunction, _ callers: [ONNXOutline.Operator]
  ) throws(WeighbridgeError) {
    let name = function.kind.fullName
    guard !callers.contains(function.kind) else {
      throw .malformed("the function \(name) calls itself, so that it has no end")
    }
    guard function.opset == nil || function.opset == opset else {
      throw .unsupported(
        "the function \(name) uses the operators of opset \(function.opset ?? 0) and the model those of "
          + "\(opset), and only functions of the model's own opset can be read")
    }
    guard node.inputs.count <= function.inputs.count, node.outputs.count <= function.outputs.count
    else {
      throw .malformed(
        "has \(node.inputs.count.counted("input")) and \(node.outputs.count.counted("output")), and the "
          + "function \(name) has \(function.inputs.count) and \(function.outputs.count)")
    }
    guard callers.count < Self.maximumDepth else {
      throw .limitExceeded(
        "functions are nested more than \(Self.maximumDepth) deep, which is the limit")
    }
    nodeCount += function.nodes.count + 1
    guard nodeCount <= Self.maximumNodeCount else {
      throw .limitExceeded(
        "functions become more than \(Self.maximumNodeCount) nodes in all their uses, which is the limit"
      )
    }
  }
}

/// A use of a function by a node.
private struct FunctionCall {
  private let node: ONNXNode
  private let function: ONNXFunction
  private let scope: String
  /// What the names in the function are called outside.
  private var outside: [String: String] = [:]

  init(_ node: ONNXNode, _ function: ONNXFunction, scope: String) {
    (self.node, self.function, self.scope) = (node, function, scope)
    for (position, name) in function.outputs.enumerated() where position < node.outputs.count {
      if !node.outputs[position].isEmpty { outside[name] = node.outputs[position] }
    }
    for (position, name) in function.inputs.enumerated() {
      outside[name] = position < node.inputs.count ? node.inputs[position] : ""
    }
  }

  /// The function's nodes under names of the graph around them.
  mutating func nodes(renamedBy names: inout UniqueNames) -> [ONNXNode] {
    declare(function.nodes.flatMap(\.outputs), &names)
    let inputs = Set(function.inputs)
    // An output that is an input needs a node that moves it.
    let moved = zip(function.outputs, node.outputs).filter {
      inputs.contains($0.0) && !$0.1.isEmpty
    }
    .map { name, output in
      ONNXNode(
        name: "\(scope)/\(name)", operation: "Identity", inputs: [outside[name] ?? ""],
        outputs: [output], attributes: [])
    }
    return function.nodes.map { renamed($0, &names) } + moved
  }

  private mutating func declare(_ declared: [String], _ names: inout UniqueNames) {
    for name in declared where !name.isEmpty && outside[name] == nil {
      outside[name] = names.unused("\(scope)/\(name)")
    }
  }

  private func renamed(_ original: ONNXNode, _ names: inout UniqueNames) -> ONNXNode {
    var node = original
    node.name = "\(scope)/\(ONNXImporter.source(original).layer)"
    node.inputs = original.inputs.map(name)
    node.outputs = original.outputs.map(name)
    node.attributes = original.attributes.compactMap { name, value in
      switch value {
      case .reference(let setting):
        let given = (self.node.attributes + function.defaults).first { $0.name == setting }
        return given.map { (name, $0.value) }
      case .graph(let body): return (name, .graph(renamed(body, &names)))
      default: return (name, value)
      }
    }
    return node
  }

  /// A body, whose own names get new ones, too.
  private func renamed(_ original: ONNXGraph, _ names: inout UniqueNames) -> ONNXGraph {
    var (inner, body) = (self, original)
    let declared =
      original.inputs.map(\.name) + original.initializers.map(\.name)
      + original.nodes.flatMap(\.outputs)
    for name in declared { inner.outside[name] = nil }
    inner.declare(declared, &names)
    for index in body.inputs.indices {
      body.inputs[index].name = inner.name(body.inputs[index].name)
    }
    for index in body.initializers.indices {
      body.initializers[index].name = inner.name(body.initializers[index].name)
    }
    for index in body.outputs.indices {
      body.outputs[index].name = inner.name(body.outputs[index].name)
    }
    body.nodes = body.nodes.map { inner.renamed($0, &names) }
    return body
  }

  /// What a name in the function is called outside; one that nothing declares stays, and is found
  /// missing when it is read.
  private func name(_ name: String) -> String {
    outside[name] ?? (name.isEmpty ? "" : "\(scope)/\(name)")
  }
}

extension ONNXGraph {
  /// All names of values in the graph and in the bodies of its nodes.
  var valueNames: Set<String> {
    var names: Set<String> = []
    var graphs = [self]
    while let graph = graphs.popLast() {
      names.formUnion(graph.inputs.map(\.name))
      names.formUnion(graph.initializers.map(\.name))
      for node in graph.nodes {
        names.formUnion(node.outputs)
        for case (_, .graph(let body)) in node.attributes { graphs.append(body) }
      }
    }
    return names
  }
}
