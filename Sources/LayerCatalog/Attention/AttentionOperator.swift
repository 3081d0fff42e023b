package import Bytes
package import GraphIR
import JSON

/// An operator that gives each query a mean of the values, weighted by the softmax of how well
/// their keys match.
///
/// - query: `[batch, queries, features]`
/// - value: `[batch, values, out]`
/// - key: `[batch, values, features]`
/// - output: `[batch, queries, out]`
///
/// What follows from that, and so is the same for all of them, is defined here.
package protocol AttentionOperator: CatalogOperator {
  /// The slots behind query, value and key.
  var weightSlots: [InputSlot] { get }

  /// Checks the weights against the number of features.
  func checkWeights(_ weights: [TensorType], features: Dimension) throws(ShapeError)

  /// How well a query and a key match.
  func score(_ query: ArraySlice<Double>, _ key: ArraySlice<Double>, _ weights: [[Double]])
    -> Double
}

extension AttentionOperator {
  package var inputs: [InputSlot] {
    [.data("query"), .data("value"), .data("key")] + weightSlots
  }

  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    let (query, value, key) = (inputs[0], inputs[1], inputs[2])
    guard query.elementType.isFloat,
      inputs[..<3].allSatisfy({ $0.rank == 3 && $0.elementType == query.elementType })
    else {
      throw ShapeError(
        "takes three axes of floating-point numbers of one type and has \(inputs[..<3])")
    }
    guard query.shape[0].agrees(with: value.shape[0]), query.shape[0].agrees(with: key.shape[0]),
      value.shape[0].agrees(with: key.shape[0]), value.shape[1].agrees(with: key.shape[1]),
      query.shape[2].agrees(with: key.shape[2])
    else { throw ShapeError("query \(query), value \(value) and key \(key) do not fit") }
    try checkWeights(Array(inputs[3...]), features: query.shape[2].merged(with: key.shape[2]))
    let batch = query.shape[0].merged(with: value.shape[0]).merged(with: key.shape[0])
    return [query.with(shape: [batch, query.shape[1], value.shape[2]])]
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    let shape = try outputShape(of: inputs)
    let numbers = inputs.map(\.doubles)
    let (queries, features) = (inputs[0].shape[1], inputs[0].shape[2])
    let (values, out) = (inputs[1].shape[1], inputs[1].shape[2])
    let weights = Array(numbers[3...])
    let rows = workers.map(shape[0] * queries) { row in
      let query = numbers[0][row * features..<(row + 1) * features]
      let first = row / queries * values
      let scores = (first..<first + values).map {
        score(query, numbers[2][$0 * features..<($0 + 1) * features], weights)
      }
      var sums = [Double](repeating: 0, count: out)
      for (index, share) in Softmax(axes: [0]).apply(scores[...]).enumerated() {
        for feature in 0..<out {
          sums[feature] += share * numbers[1][(first + index) * out + feature]
        }
      }
      return sums
    }
    return [Tensor(inputs[0].elementType, shape: shape, rows.flatMap { $0 })]
  }

  package var tolerance: Tolerance { .standard(for: .float32) }

  package func permutingAxes(_ axes: [Int]) -> Self? { axes == [0, 1, 2] ? self : nil }

  package var decomposition: Decomposition { .primitive }
}

extension KerasLayer {
  /// Query, value and key of an attention layer, whose key is the value unless there is a third
  /// input, and the settings that they share.
  mutating func attentionInputs(_ inputs: [ValueID]) throws(WeighbridgeError) -> [ValueID] {
    guard (2...3).contains(inputs.count) else {
      throw WeighbridgeError(
        .malformed, "takes query, value and maybe key, and has \(inputs.count)")
    }
    ignore("dropout")
    try require("causal", toBe: false, because: "a query would not see later values")
    return inputs.count == 3 ? inputs : inputs + [inputs[1]]
  }
}
