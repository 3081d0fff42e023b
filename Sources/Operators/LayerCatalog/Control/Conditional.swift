package import Bytes
package import GraphIR

/// One of two subgraphs, chosen by a condition, as ONNX's `If`. Only that one is computed.
///
/// - condition: bool `[]`
/// - captured: any types; both subgraphs get them
/// - outputs: those of the subgraph that runs; a size in which the two differ is known only when the
///   model runs
package struct Conditional: SubgraphOperator {
  /// What runs if the condition is true; takes what is captured.
  package let first: Subgraph
  /// What runs otherwise; has inputs and outputs of the same types, but for the sizes of the outputs.
  package let second: Subgraph
  package let capturedCount: Int

  package static let kind = "conditional"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    """
    Both subgraphs have the inputs (captured...), and outputs of the same element types and numbers of axes.
    outputs = then(captured) if condition, else else(captured)
    Only the one that is chosen is computed. Sizes in which their outputs differ are known only when the model runs.
    """,
    inputs: [.data("condition", .bool), .counted("captured", by: "captured")],
    outputs: [.ofElementTypes],
    attributes: AttributeSchema(
      { (captured, types, first, second) throws(WeighbridgeError) in
        let conditional = Conditional(first: first, second: second, capturedCount: captured)
        try OperatorDefinition.check(types, conditional.elementTypes)
        return conditional
      },
      .integer(
        "captured", \.capturedCount, "The number of captured inputs.", .atLeast(0), .countLimit),
      .elementTypes(\.elementTypes), .subgraph("then"), .subgraph("else")
    ).checked { $0.branchProblem })

  /// Creates the operator.
  ///
  /// - Parameters:
  ///   - first: What runs if the condition is true.
  ///   - second: What runs otherwise.
  package init(first: Subgraph, second: Subgraph, capturedCount: Int) {
    self.first = first
    self.second = second
    self.capturedCount = capturedCount
  }

  package var subgraphs: [Subgraph] { [first, second] }

  package var inputs: [InputSlot] {
    [.data("condition")] + Array(repeating: .data("captured"), count: capturedCount)
  }

  private var elementTypes: [ElementType] { first.outputTypes.map(\.elementType) }

  /// Why the subgraphs do not fit; `nil` if they do.
  private var branchProblem: String? {
    for (name, branch) in [("then", first), ("else", second)] {
      if let problem = branch.problem(name, inputCount: capturedCount, minimumOutputCount: 1) {
        return problem
      }
    }
    return Self.merged(first.outputTypes, second.outputTypes) == nil
      ? "one subgraph gives \(first.outputTypes) and the other \(second.outputTypes), expected the same "
        + "element types and numbers of axes" : nil
  }

  /// The types that include those of both subgraphs; `nil` if there are none.
  private static func merged(_ first: [TensorType], _ second: [TensorType]) -> [TensorType]? {
    let fits = first.elementsEqual(second) {
      $0.elementType == $1.elementType && $0.rank == $1.rank
    }
    guard fits else { return nil }
    return zip(first, second).map { one, other in
      one.with(shape: zip(one.shape, other.shape).map { $0 == $1 ? $0 : .unknown })
    }
  }
}

extension Conditional {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    guard inputs[0] == TensorType(.bool, [Int]()) else {
      throw ShapeError("takes a condition bool [], and was given \(inputs[0])")
    }
    let captured = Array(inputs.dropFirst())
    let types: [TensorType]
    do throws(ShapeError) {
      types = try first.outputTypes(for: captured)
    } catch {
      // Sizes that only one subgraph takes are an error only if the other one is chosen.
      return try second.outputTypes(for: captured)
    }
    guard let others = try? second.outputTypes(for: captured) else { return types }
    guard let merged = Self.merged(types, others) else {
      throw ShapeError(
        "gives \(types) or \(others), expected the same element types and numbers of axes")
    }
    return merged
  }

  package func evaluate(
    _ inputs: [Tensor], memoryLimit: Int,
    run: (_ subgraph: Int, _ inputs: [Tensor]) throws(WeighbridgeError) -> [Tensor]
  ) throws(WeighbridgeError) -> [Tensor] {
    try run(inputs[0].doubles[0] != 0 ? 0 : 1, Array(inputs.dropFirst()))
  }
}
