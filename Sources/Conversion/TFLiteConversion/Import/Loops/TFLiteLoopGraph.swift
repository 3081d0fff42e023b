import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import TFLiteFormat

/// A graph that a loop runs, imported by itself, so that what it computes can be recognized.
struct TFLiteLoopGraph {
  let graph: Graph
  /// The values of the inputs, by position; `nil` for constant ones.
  let inputs: [ValueID?]
  /// The requested results, by the positions of their tensors.
  let results: [Int: ValueID]
  private let producers: [ValueID: (node: Node, output: Int)]

  /// - Parameters:
  ///   - constants: The elements of inputs that are constant, by position.
  ///   - results: The positions of the tensors to compute.
  ///   - skipped: The positions of the operators that are not imported.
  /// - Throws: What importing throws; ``WeighbridgeError/Code/unsupported`` when the graph runs
  ///   others.
  init(
    _ scope: TFLiteScope, of file: TFLiteFile, constants: [Tensor?], results: [Int],
    without skipped: Set<Int> = []
  ) throws(WeighbridgeError) {
    guard scope.graph.operators.allSatisfy({ !Self.others.contains($0.code.name) }) else {
      throw .unsupported(
        "runs another graph in a loop, and only loops of other operators can be read")
    }
    var network = TFLiteNetwork(
      TFLiteContext(file: file, scopes: [scope]), names: Set(scope.names))
    try TFLiteImporter.addConstants(scope, to: &network)
    for (tensor, constant) in zip(scope.graph.inputs, constants) {
      let name = scope.names[tensor]
      if let constant {
        try network.define(name, .constant(name, constant))
      } else {
        try network.addInput(name, try scope.graph.tensors[tensor].type())
      }
    }
    for (position, node) in scope.graph.operators.enumerated() where !skipped.contains(position) {
      network = try TFLiteImporter.add(
        node, scope, TFLiteImporter.source(node, scope), keepsNames: false, to: consume network)
    }
    var (ports, ids) = ([Port](), [Int: ValueID]())
    for tensor in Set(results).sorted() {
      guard scope.names.indices.contains(tensor), let value = network.values[scope.names[tensor]]
      else {
        throw .malformed("no operator gives the tensor \(tensor), which a step must")
      }
      let id = try network.output("result_\(tensor)", value)
      ids[tensor] = id
      ports.append(Port(name: "\(tensor)", value: id))
    }
    inputs = scope.graph.inputs.map {
      if case .computed(let id)? = network.values[scope.names[$0]] { id } else { nil }
    }
    graph = try network.graph.finish(outputs: ports)
    self.results = ids
    producers = Dictionary(
      graph.nodes.flatMap { node in
        node.outputs.enumerated().map { ($1, (node: node, output: $0)) }
      }, uniquingKeysWith: { first, _ in first })
  }

  /// The operators that run other graphs.
  private static let others: Set = ["CALL_ONCE", "IF", "STABLEHLO_COMPOSITE", "WHILE"]

  func constant(_ id: ValueID) -> Tensor? { graph[id].constant }

  func type(_ id: ValueID) -> TensorType { graph[id].type }

  /// The operator that computes a value, and its inputs.
  func producer(_ id: ValueID) -> (operation: any CatalogOperator, inputs: [ValueID])? {
    guard let (node, _) = producers[id], let operation = node.operation as? any CatalogOperator
    else { return nil }
    return (operation, node.inputs)
  }

  /// The operator of a type that computes a value, its inputs, and which of its outputs it is.
  func producer<Operation: CatalogOperator>(
    _ id: ValueID, _ type: Operation.Type
  ) -> (operation: Operation, inputs: [ValueID], output: Int)? {
    guard let (node, output) = producers[id], let operation = node.operation as? Operation else {
      return nil
    }
    return (operation, node.inputs, output)
  }

  /// The two inputs of an operator of a type, in both orders; none for other operators.
  func orders<Operation: CatalogOperator>(
    _ id: ValueID, _ type: Operation.Type
  ) -> [(ValueID, ValueID)] {
    guard let inputs = producer(id, type)?.inputs, inputs.count == 2 else { return [] }
    return [(inputs[0], inputs[1]), (inputs[1], inputs[0])]
  }

  /// The value and the number to which an operator of a type is applied.
  func constantTerm<Operation: CatalogOperator>(
    _ id: ValueID, _ type: Operation.Type
  ) -> (value: ValueID, number: Double)? {
    for (value, term) in orders(id, type) where self.type(value) == self.type(id) {
      guard let numbers = constant(term)?.doubles, let first = numbers.first,
        numbers.allSatisfy({ $0 == first })
      else { continue }
      return (value, first)
    }
    return nil
  }

  /// The value that another one has in another shape, with the same elements.
  func withoutAxes(_ id: ValueID) -> ValueID {
    var id = id
    while let (operation, inputs) = producer(id),
      operation is Squeeze || operation is ExpandDims || operation is Identity
        || operation is Reshape || operation is ReshapeAxes
    {
      id = inputs[0]
    }
    return id
  }

  /// How many inputs of nodes a value is.
  func useCount(_ id: ValueID) -> Int {
    graph.nodes.reduce(0) { count, node in count + node.inputs.count { $0 == id } }
  }

  /// Whether a value is the size of an axis of another one, as nodes compute it.
  static func isSize(
    _ id: ValueID, of tensor: ValueID, axis: Int,
    _ producer: (ValueID) -> (operation: any CatalogOperator, inputs: [ValueID])?
  ) -> Bool {
    var id = id
    while let (operation, inputs) = producer(id) {
      switch operation {
      case is Cast, is ExpandDims, is Identity, is Squeeze: id = inputs[0]
      case let slice as Slice:
        guard slice.ranges == [Slice.Range(axis: 0, start: axis, stop: axis + 1, step: 1)],
          let (shape, inputs) = producer(inputs[0]), shape is Shape
        else { return false }
        return inputs[0] == tensor
      default: return false
      }
    }
    return false
  }
}
