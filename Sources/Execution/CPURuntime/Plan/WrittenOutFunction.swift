import Bytes
import GraphIR
import LayerCatalog

/// Nodes that together compute an activation function, as exporters write those that a format lacks:
/// `0.5 * x * (1 + erf(x / sqrt(2)))`, `x * sigmoid(x)` and `x * hardsigmoid(x)`.
struct WrittenOutFunction {
  let operation: any CatalogOperator
  let input, output: ValueID
  /// The positions of the nodes, ascending. The last one makes the output, and nothing else reads what
  /// the others make.
  let positions: [Int]

  /// All of a graph.
  ///
  /// - Parameters:
  ///   - types: The types of all values.
  ///   - readers: For each value, the nodes that read it.
  ///   - isOutput: For each value, whether it is one of the graph's outputs.
  /// - Complexity: Linear in the number of nodes.
  static func all(
    in graph: Graph, types: [TensorType], readers: [[Int]], isOutput: [Bool]
  ) -> [WrittenOutFunction] {
    var makers: [ValueID: Int] = [:]
    for (position, node) in graph.nodes.enumerated() {
      for id in node.outputs { makers[id] = position }
    }
    let trace = Trace(graph: graph, makers: makers, readers: readers, isOutput: isOutput)
    return graph.nodes.indices.compactMap { position in
      guard let found = trace.gaussian(at: position) ?? trace.gated(at: position),
        types[found.input.index].elementType == .float32,
        types[found.input.index] == types[found.output.index]
      else { return nil }
      return found
    }
  }

  /// Follows values to the nodes that read and make them.
  private struct Trace {
    let graph: Graph
    let makers: [ValueID: Int]
    let readers: [[Int]]
    let isOutput: [Bool]

    /// The function that contains the error function at a position.
    func gaussian(at position: Int) -> WrittenOutFunction? {
      let node = graph.nodes[position]
      guard (node.operation as? UnaryMath)?.function == .errorFunction,
        let first = makers[node.inputs[0]], onlyReader(of: first) == position,
        let x = argument(of: first),
        let sum = onlyReader(of: position), isCombination(Add.self, sum, with: 1),
        let product = onlyReader(of: sum), graph.nodes[product].operation is Multiply,
        graph.nodes[product].inputs.count == 2
      else { return nil }
      let operation = GELU(isApproximate: false)
      let sumOutput = graph.nodes[sum].outputs[0]
      let other = graph.nodes[product].inputs.first { $0 != sumOutput }
      // (x / 2) * (1 + ...)
      if let half = x.readers.first(where: { graph.nodes[$0].outputs.first == other }),
        isCombination(Multiply.self, half, with: 0.5), onlyReader(of: half) == product
      {
        return found(operation, x.id, [first, position, sum, half, product])
      }
      guard let last = onlyReader(of: product), last != product else { return nil }
      // (x * (1 + ...)) / 2, or x * ((1 + ...) / 2)
      let isHalvedLast = other == x.id && isCombination(Multiply.self, last, with: 0.5)
      let isHalvedFirst =
        isCombination(Multiply.self, product, with: 0.5)
        && graph.nodes[last].operation is Multiply && graph.nodes[last].inputs.count == 2
        && graph.nodes[last].inputs.contains(x.id)
      guard isHalvedLast || isHalvedFirst else { return nil }
      return found(operation, x.id, [first, position, sum, product, last])
    }

    /// The value that a node divides by the square root of 2, and its readers.
    private func argument(of position: Int) -> (id: ValueID, readers: [Int])? {
      let node = graph.nodes[position]
      guard let id = node.inputs.first(where: { graph[$0].constant == nil }) else { return nil }
      let isQuotient =
        (node.operation as? BinaryMath)?.function == .divide && node.inputs.first == id
        && number(node.inputs[1]).map { isNear($0, 2.squareRoot()) } ?? false
      guard isQuotient || isCombination(Multiply.self, position, with: 0.5.squareRoot()) else {
        return nil
      }
      return (id, readers[id.index])
    }

    /// The function that ends with the product of a value and a function of it.
    func gated(at position: Int) -> WrittenOutFunction? {
      let node = graph.nodes[position]
      guard onlyReader(of: position) != position, node.inputs.count == 1,
        let product = onlyReader(of: position), graph.nodes[product].operation is Multiply,
        Set(graph.nodes[product].inputs) == Set(node.inputs + node.outputs),
        graph.nodes[product].inputs.count == 2
      else { return nil }
      switch node.operation {
      case is Sigmoid: return found(Swish(), node.inputs[0], [position, product])
      case let gate as HardSigmoid where isNear(gate.slope, 1 / 6) && gate.offset == 0.5:
        return found(HardSwish(), node.inputs[0], [position, product])
      default: return nil
      }
    }

    private func found(
      _ operation: any CatalogOperator, _ input: ValueID, _ positions: [Int]
    ) -> WrittenOutFunction? {
      let positions = positions.sorted()
      guard let last = positions.last, Set(positions).count == positions.count,
        graph[input].constant == nil
      else { return nil }
      return WrittenOutFunction(
        operation: operation, input: input, output: graph.nodes[last].outputs[0],
        positions: positions)
    }

    /// The only node that reads the output of another one.
    private func onlyReader(of position: Int) -> Int? {
      let outputs = graph.nodes[position].outputs
      guard outputs.count == 1, !isOutput[outputs[0].index], readers[outputs[0].index].count == 1
      else { return nil }
      return readers[outputs[0].index][0]
    }

    /// Whether a node combines a value with a number, as accurately as float32 has it.
    private func isCombination<Operation: Operator>(
      _ type: Operation.Type, _ position: Int, with expected: Double
    ) -> Bool {
      let node = graph.nodes[position]
      guard node.operation is Operation, node.inputs.count == 2 else { return false }
      return node.inputs.contains { number($0).map { isNear($0, expected) } ?? false }
    }

    /// A constant of one element.
    private func number(_ id: ValueID) -> Double? {
      guard let constant = graph[id].constant, constant.shape.allSatisfy({ $0 == 1 }) else {
        return nil
      }
      return constant.doubles.first
    }

    private func isNear(_ number: Double, _ expected: Double) -> Bool {
      abs(number - expected) <= 1e-7 * expected
    }
  }
}
