import Bytes
import GraphIR

/// Comparing each step of an engine with the reference on NaN and infinities, which arise inside of
/// models from ordinary inputs: in logarithms, divisions, powers and with large weights.
extension EnginesCheck {
  /// Steps with more operations are left out, unless they are few compared to those of a whole run.
  private static let alwaysTried = 1 << 24

  /// An element of a tensor is made, converted and compared in the time of this many operations of a
  /// large product.
  private static let operationsPerElement = 64.0

  /// The fraction of the operations of a whole run that are spent on special numbers in addition.
  private static let additionalWork = 16

  /// Runs the steps, the cheapest first, on numbers among which some are special.
  ///
  /// - Returns: The first step of which the two make something else; `nil` if there is none.
  func compareSpecialNumbers(
    _ graph: Graph, _ inputs: [Tensor], _ steps: [Int: [Int]]
  ) throws(WeighbridgeError) -> CheckResult? {
    let types = try graph.specialized(to: inputs)
    let costs = steps.mapValues { positions in
      positions.reduce(0.0) { $0 + cost(graph.nodes[$1], types) }
    }
    let total = costs.values.reduce(0, +)
    var rest = Double(Self.alwaysTried) + total / Double(Self.additionalWork)
    for (last, cost) in costs.sorted(by: { ($0.value, $0.key) < ($1.value, $1.key) }) {
      rest -= 2 * cost
      guard rest >= 0, let positions = steps[last] else { return nil }
      if let wrong = try compareSpecialNumbers(graph, positions, types) { return wrong }
    }
    return nil
  }

  /// The operations of a node, and those that its elements are worth.
  private func cost(_ node: Node, _ types: [TensorType]) -> Double {
    let elements = (node.inputs + node.outputs).reduce(0.0) {
      $0 + Double(types[$1.index].fixedShape?.reduce(1, *) ?? 0)
    }
    return Double(operationCount(node, types) ?? .max) + Self.operationsPerElement * elements
  }

  private func compareSpecialNumbers(
    _ graph: Graph, _ positions: [Int], _ types: [TensorType]
  ) throws(WeighbridgeError) -> CheckResult? {
    guard let part = try? graph.subgraph(positions, types: types).graph,
      let base = try? part.generatedInputs(.random(seed: UInt64(positions[0]))),
      base.contains(where: { $0.elementType.isFloat && $0.count > 0 })
    else { return nil }
    // Where an infinity meets a weight, the result depends on whether that was rounded to 0, which
    // is not an error: weights may be scaled before they are used, for example.
    let hasWeights = part.nodes.contains { node in
      node.inputs.contains { part[$0].constant?.elementType.isFloat ?? false }
    }
    for special in hasWeights ? [[.nan]] : [[.nan], [.infinity, -.infinity, -0.0, 0]] {
      var generator = SplitMix64(seed: UInt64(positions[0]))
      let inputs = base.map { $0.withSpecialNumbers(special, &generator) }
      guard let expected = try results(part, inputs, reference),
        let actual = try results(part, inputs, engine)
      else { continue }
      for (actual, expected) in zip(actual, expected) {
        let difference = TensorDifference(actual: actual, expected: expected)
        guard difference.nonFiniteMismatches > 0 else { continue }
        let position = positions[positions.count - 1]
        return result(difference, graph.nodes[position], position)
      }
    }
    return nil
  }

  /// The results of a runtime; `nil` if it rejects the inputs, for example NaN as an index.
  private func results(
    _ graph: Graph, _ inputs: [Tensor], _ runtime: any Runtime
  ) throws(WeighbridgeError) -> [Tensor]? {
    do throws(WeighbridgeError) {
      return try runtime.run(graph, inputs: inputs) { _ in }
    } catch {
      guard error.code != .cancelled else { throw error }
      return nil
    }
  }

  private func result(
    _ difference: TensorDifference, _ node: Node, _ position: Int
  ) -> CheckResult {
    CheckResult(
      name, .failed,
      "\(engine.name) and \(reference.name) compute different results from numbers among which "
        + "some are NaN or infinite: "
        + difference.description(Tolerance(absolute: 0, relative: 0)),
      layer: node.source.place(position), difference: difference)
  }
}

extension Tensor {
  /// The same tensor with numbers of both signs, among which each of some others is once; unchanged
  /// unless the elements are floating-point numbers.
  fileprivate func withSpecialNumbers(
    _ special: [Double], _ generator: inout SplitMix64
  ) -> Tensor {
    guard elementType.isFloat, count > 0 else { return self }
    // Whole numbers may be indices.
    var numbers = doubles.map { $0.isWhole ? $0 : 8 * $0 - 4 }
    for number in special { numbers[Int(generator.next() % UInt64(count))] = number }
    return Tensor(elementType, shape: shape, numbers)
  }
}

extension Double {
  /// Whether it is a whole number. (Rounding is a call of a function on processors without SSE 4.1.)
  fileprivate var isWhole: Bool {
    magnitude >= 0x1p52 || isFinite && Double(Int(self)) == self
  }
}
