import Bytes
package import GraphIR

/// The number of floating-point operations of an operator.
package enum OperatorCost: Sendable {
  /// One for each element of the first output.
  case elements
  /// Two for each product in a sum: a multiplication and an addition. The closure gets the shapes
  /// of the inputs and outputs and returns numbers of products, which are added up; each is a list
  /// of factors.
  case products(@Sendable (_ inputs: [[Int]], _ outputs: [[Int]]) -> [[Int]])
  /// The sum over the nodes of the decomposition.
  case decomposition
}

extension CatalogOperator {
  /// The number of floating-point operations for inputs and outputs of given types.
  ///
  /// - Returns: `nil` when a size is dynamic, or the number is too large.
  package func operationCount(_ inputs: [TensorType], _ outputs: [TensorType]) -> Int? {
    let shapes = (inputs.compactMap(\.fixedShape), outputs.compactMap(\.fixedShape))
    guard shapes.0.count == inputs.count, shapes.1.count == outputs.count else { return nil }
    switch cost {
    case .elements: return shapes.1.first.map { [$0] }.flatMap(Self.sum) ?? 0
    case .products(let count): return Self.sum(count(shapes.0, shapes.1).map { [2] + $0 })
    case .decomposition:
      let values = inputs.enumerated().map { Value(name: "input \($0)", type: $1) }
      let source = SourceScope(layer: kind, className: kind)
      guard let graph = try? decomposition.graph(values, source: source) else {
        return shapes.1.first.map { [$0] }.flatMap(Self.sum)
      }
      return graph.operationCount(graph.values.map(\.type))
    }
  }

  /// A sum of products.
  private static func sum(_ products: [[Int]]) -> Int? {
    products.reduce(0) { total, factors in
      guard let total, let product = try? Checked.product(factors, of: "the number of operations"),
        case let (sum, overflow) = total.addingReportingOverflow(product), !overflow
      else { return nil }
      return sum
    }
  }
}

extension Graph {
  /// The number of floating-point operations of all nodes.
  ///
  /// - Parameter types: The types of all values, with known sizes.
  /// - Returns: As ``CatalogOperator/operationCount(_:_:)``.
  package func operationCount(_ types: [TensorType]) -> Int? {
    nodes.reduce(0) { total, node in
      guard let total, let count = node.operationCount(types),
        case let (sum, overflow) = total.addingReportingOverflow(count), !overflow
      else { return nil }
      return sum
    }
  }
}

extension Node {
  /// The number of floating-point operations; 0 for an operator that cannot run.
  ///
  /// - Parameter types: The types of all values of the graph, with known sizes.
  /// - Returns: As ``CatalogOperator/operationCount(_:_:)``.
  package func operationCount(_ types: [TensorType]) -> Int? {
    guard let operation = operation as? any CatalogOperator else { return 0 }
    return operation.operationCount(
      inputs.map { types[$0.index] }, outputs.map { types[$0.index] })
  }
}
