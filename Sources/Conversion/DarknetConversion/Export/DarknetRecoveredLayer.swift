import Bytes
import DarknetFormat
import GraphIR
import LayerCatalog

/// The nodes that a section became, from which its settings are recovered.
struct DarknetRecoveredLayer {
  let nodes: [Node]
  let graph: Graph
  let fork: DarknetFork
  /// The position of the section that produced each value or first read each weight.
  let sectionIndices: [ValueID: Int]
  let detector: DetectorDescription?

  /// The name of the section in a file.
  var sectionName: String {
    let name = nodes[0].source.className
    return name == "gaussian_yolo" ? "Gaussian_yolo" : name
  }

  /// Returns the nodes with a role.
  func nodes(_ role: String) -> [Node] { nodes.filter { $0.source.role == role } }

  /// Returns the first operator of a type, with a role if one is given.
  func operation<Operation: Operator>(
    _ type: Operation.Type, _ role: String? = nil
  ) throws(WeighbridgeError) -> Operation {
    try node(type, role).operation
  }

  /// Returns the first operator of a type and its node.
  func node<Operation: Operator>(
    _ type: Operation.Type, _ role: String? = nil
  ) throws(WeighbridgeError) -> (operation: Operation, node: Node) {
    for node in nodes where role == nil || node.source.role == role {
      if let operation = node.operation as? Operation { return (operation, node) }
    }
    throw .unsupported("has no \(Operation.kind), which its section always becomes")
  }

  /// Whether there is a node with a role.
  func has(_ role: String) -> Bool { nodes.contains { $0.source.role == role } }

  /// The shape of a value for a batch of one.
  func shape(_ id: ValueID) throws(WeighbridgeError) -> [Int] {
    guard let shape = graph[id].type.singleExampleShape else {
      throw .unsupported("has sizes that are not known, and darknet needs all of them")
    }
    return shape
  }

  /// The shape of a node's input.
  func inputShape(_ node: Node, _ position: Int = 0) throws(WeighbridgeError) -> [Int] {
    try shape(node.inputs[position])
  }

  /// The shape of the section's output.
  func outputShape() throws(WeighbridgeError) -> [Int] {
    try nodes.last.map { (node) throws(WeighbridgeError) in try shape(node.outputs[0]) } ?? []
  }

  /// The section that produced a value.
  func section(of value: ValueID) throws(WeighbridgeError) -> Int {
    guard let position = sectionIndices[value] else {
      throw .unsupported(
        "takes a value that is not the output of a section, and only those can be taken")
    }
    return position
  }

  /// The name of the activation that the nodes with a role compute.
  func activation(_ role: String = "activation") throws(WeighbridgeError) -> String {
    let operations = nodes(role).map(\.operation)
    guard let name = DarknetLayer.activationName(of: operations, fork: fork) else {
      let kinds = operations.map(\.kind).joined(separator: ", ")
      throw .unsupported(
        "has the activation \(kinds), and only those of \(fork.title) can be written")
    }
    return name
  }

  /// The number of outputs of the fully connected node with a role.
  func units(_ role: String) throws(WeighbridgeError) -> Int {
    try inputShape(try node(Dense.self, role).node, 1)[0]
  }

  /// The error for a section with a tree of classes, which cannot be recovered.
  static let tree = WeighbridgeError.unsupported(
    "its classes form a tree, whose names and parents are not in the model")
}
