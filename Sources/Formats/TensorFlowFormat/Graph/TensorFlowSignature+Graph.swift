extension TensorFlowSignature {
  /// Operators that compute nothing for a user of the model.
  private static let otherOperators: Set<String> = [
    "Assert", "Const", "NoOp", "Placeholder", "PlaceholderWithDefault", "SaveV2", "VarHandleOp",
    "VariableV2",
  ]

  /// The name of the operation of a value.
  package static func operation(of value: String) -> String {
    String(value.drop { $0 == "^" }.prefix { $0 != ":" })
  }

  /// What a graph without a signature computes: what nothing gives is an input, and what nothing
  /// reads is an output.
  package init(of graph: TensorFlowGraph) {
    var read: Set<String> = []
    for value in graph.nodes.flatMap(\.inputs) {
      read.insert(Self.operation(of: value))
    }
    self.init()
    for node in graph.nodes {
      if node.operation == "Placeholder" {
        var port = Port(name: node.name, value: node.name)
        if case .type(let type)? = node.attributes["dtype"] { port.type = type }
        if case .shape(let shape)? = node.attributes["shape"] { port.shape = shape }
        inputs.append(port)
      } else if !read.contains(node.name), !Self.otherOperators.contains(node.operation) {
        outputs.append(Port(name: node.name, value: node.name))
      }
    }
  }

  /// The same with inputs and outputs in the order in which the graph has them; a file lists them
  /// in any order. Those that TensorFlow numbered (`Identity`, `Identity_1`) are in that order.
  package func inGraphOrder(_ graph: TensorFlowGraph) -> TensorFlowSignature {
    let positions = Dictionary(
      graph.nodes.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    func sorted(_ ports: [Port]) -> [Port] {
      let numbered = ports.map { Self.numbered(Self.operation(of: $0.value)) }
      let isSeries = Set(numbered.map(\.name)).count == 1
      return ports.enumerated().map { index, port in
        let position = positions[Self.operation(of: port.value)] ?? .max
        let output = port.value.split(separator: ":").dropFirst().last.flatMap { Int($0) } ?? 0
        return (isSeries ? numbered[index].number : position, output, port)
      }.sorted { ($0.0, $0.1, $0.2.name) < ($1.0, $1.1, $1.2.name) }.map(\.2)
    }
    var result = self
    (result.inputs, result.outputs) = (sorted(inputs), sorted(outputs))
    return result
  }

  /// A name without the number that makes it unique, and that number.
  private static func numbered(_ name: String) -> (name: Substring, number: Int) {
    guard let end = name.lastIndex(of: "_"), let number = Int(name[end...].dropFirst()), number >= 0
    else { return (name[...], 0) }
    return (name[..<end], number)
  }
}
