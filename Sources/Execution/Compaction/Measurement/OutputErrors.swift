import Bytes
import CPURuntime
import GraphIR

/// The errors of outputs relative to those of the original model.
package struct OutputErrors: Hashable, Sendable {
  /// The relative error (L2) of each output for each example, `[outputs][examples]`.
  package let relative: [[Double]]
  /// The kind of each example, as a number; all are of one kind when empty.
  let kinds: [Int]

  /// The error of an output that at most one in 20 other inputs is expected to exceed; at least
  /// ``worst(_:)``.
  package func bound(_ output: Int) -> Double {
    ErrorBound.value(relative[output], kinds: kinds)
  }

  /// The largest bound of all outputs.
  package var bound: Double { relative.indices.map(bound).max() ?? 0 }

  /// The largest error of an output over the examples.
  package func worst(_ output: Int) -> Double { relative[output].max() ?? 0 }

  /// The mean error of an output over the examples.
  package func mean(_ output: Int) -> Double {
    relative[output].reduce(0, +) / Double(max(1, relative[output].count))
  }

  /// The largest error of all.
  package var worst: Double { relative.indices.map(worst).max() ?? 0 }
}

/// Measures the output errors that changed weights cause.
struct ErrorMeter {
  /// The model, with measured values appended to its outputs.
  private let graph: Graph
  /// For each output, the index of its measured value among the outputs of `graph`.
  private let positions: [Int]
  private let examples: [[Tensor]]
  private let kinds: [Int]
  private let options: CPURuntime.Options
  /// The outputs of the original, `[examples][outputs]`, followed by measured values that are not
  /// outputs.
  let expected: [[Tensor]]

  /// The inputs of the first example.
  var example: [Tensor]? { examples.first }

  /// Runs the original.
  ///
  /// - Parameters:
  ///   - measuring: For each output the value on which its error is measured.
  ///   - kinds: The kind of each example; all are of one kind when empty.
  /// - Throws: What running the model throws; ``WeighbridgeError/Code/unsupported`` when an output
  ///   has numbers that are not finite.
  init(
    _ model: Graph, measuring values: [ValueID], _ examples: [[Tensor]],
    kinds: [Int] = [], _ options: CPURuntime.Options
  ) throws(WeighbridgeError) {
    var ports = model.outputs
    var names = UniqueNames(ports.map(\.name))
    positions = values.map { value in
      if let position = ports.firstIndex(where: { $0.value == value }) { return position }
      ports.append(Port(name: names.unused(model[value].name), value: value))
      return ports.count - 1
    }
    graph = model.replacingOutputs(ports)
    (self.examples, self.kinds, self.options) = (examples, kinds, options)
    expected = try Self.run(graph, examples, options)
    for (position, port) in zip(positions, model.outputs) {
      let numbers = expected.map { $0[position].doubles }
      guard numbers.allSatisfy({ $0.allSatisfy(\.isFinite) }) else {
        throw .unsupported(
          "the output \(port.name) has numbers that are not finite, so that no error can be measured"
        )
      }
    }
  }

  /// The outputs with other weights, `[examples][outputs]`.
  ///
  /// - Parameter quantizations: The nodes that are computed with 8-bit integers or bfloat16, by
  ///   name.
  func outputs(
    _ weights: [ValueID: Tensor], _ quantizations: [String: InputQuantization] = [:]
  ) throws(WeighbridgeError) -> [[Tensor]] {
    try Self.run(graph.settingConstants(weights).quantizing(quantizations), examples, options)
  }

  /// The errors of outputs.
  func errors(_ outputs: [[Tensor]]) -> OutputErrors {
    OutputErrors(
      relative: positions.map { position in
        zip(outputs, expected).map { $0[position].relativeError(to: $1[position]) }
      }, kinds: kinds)
  }

  /// The errors with other weights, as ``outputs(_:_:)``.
  func errors(
    _ weights: [ValueID: Tensor], _ quantizations: [String: InputQuantization] = [:]
  ) throws(WeighbridgeError) -> OutputErrors {
    errors(try outputs(weights, quantizations))
  }

  /// How many answers stayed the same: of given examples, or of generated ones if there are no
  /// others.
  func count(
    _ answers: AnswerComparison?, _ outputs: [[Tensor]]
  ) throws(WeighbridgeError) -> AnswerCount? {
    let given = kinds.indices.filter { kinds[$0] == 0 }
    let counted = given.isEmpty ? Array(outputs.indices) : given
    return try answers?.count(counted.map { outputs[$0] }, counted.map { expected[$0] })
  }

  /// The errors of another graph with the same outputs.
  ///
  /// - Parameter values: For each output the value on which its error is measured.
  func errors(
    of other: Graph, measuring values: [ValueID]
  ) throws(WeighbridgeError) -> OutputErrors {
    let ports = zip(other.outputs, values).map { Port(name: $0.name, value: $1) }
    let outputs = try Self.run(other.replacingOutputs(ports), examples, options)
    return OutputErrors(
      relative: positions.enumerated().map { number, position in
        zip(outputs, expected).map { $0[number].relativeError(to: $1[position]) }
      }, kinds: kinds)
  }

  private static func run(
    _ graph: Graph, _ examples: [[Tensor]], _ options: CPURuntime.Options
  ) throws(WeighbridgeError) -> [[Tensor]] {
    let compiled = try CompiledGraph(graph, options)
    var results: [[Tensor]] = []
    for inputs in examples { results.append(try compiled.run(inputs)) }
    return results
  }
}

extension Tensor {
  /// The L2 norm of the difference, divided by that of the expected tensor, or by that of as many
  /// ones if the expected tensor is all zeros; infinite if a number is not finite or the shapes
  /// differ.
  fileprivate func relativeError(to expected: Tensor) -> Double {
    guard shape == expected.shape else { return .infinity }
    var (difference, size) = (0.0, 0.0)
    for (actual, expected) in zip(doubles, expected.doubles) {
      difference += (actual - expected) * (actual - expected)
      size += expected * expected
    }
    guard difference.isFinite else { return .infinity }
    return (difference / (size > 0 ? size : Double(max(1, count)))).squareRoot()
  }
}
