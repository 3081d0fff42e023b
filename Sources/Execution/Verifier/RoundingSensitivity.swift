import Bytes
import GraphIR

/// Measures how much rounding changes the outputs of nodes: each element of the inputs and the
/// weights is perturbed by one unit in the last place (ulp), and the reference runs once more.
///
/// Arithmetic rounds every intermediate result by about as much. Two correct computations of one
/// node may therefore differ by several times this change, however large it is.
struct RoundingSensitivity {
  private var effects: [Int: [RoundingEffect]] = [:]

  /// The most runs with perturbed inputs and weights, each with other random signs.
  private static let repetitionCount = 4

  /// Repeats the measurement until the discrepancies can be judged; each repetition is a run of the
  /// reference.
  ///
  /// - Parameter reference: An engine that rounds less than the one being checked.
  /// - Returns: `nil` where the reference cannot run.
  /// - Throws: Only ``WeighbridgeError/Code/cancelled``.
  static func measure(
    _ discrepancies: [Discrepancy], in graph: Graph, inputs: [Tensor], by reference: any Runtime
  ) throws(WeighbridgeError) -> Self? {
    guard !discrepancies.isEmpty else { return nil }
    do throws(WeighbridgeError) {
      return try Self(discrepancies, in: graph, inputs: inputs, by: reference)
    } catch {
      guard error.code != .cancelled else { throw error }
      return nil
    }
  }

  private init(
    _ discrepancies: [Discrepancy], in graph: Graph, inputs: [Tensor], by reference: any Runtime
  ) throws(WeighbridgeError) {
    let positions = Set(discrepancies.map(\.position))
    let precisions = graph.precisions
    let bits =
      positions.flatMap { graph.nodes[$0].outputs }
      .compactMap { precisions[$0.index]?.significantBits }.min() ?? 24
    var baseline: [Int: [Tensor]] = [:]
    _ = try reference.run(graph, inputs: inputs) { result in
      guard positions.contains(result.position) else { return }
      baseline[result.position] = result.outputs
      effects[result.position] = result.outputs.map { _ in RoundingEffect(bits: bits) }
    }
    for repetition in 0..<Self.repetitionCount {
      var generator = SplitMix64(seed: UInt64(repetition))
      let perturbed = graph.changingWeights { $0.perturbed(bits: bits, &generator) }
      let perturbedInputs = inputs.map { $0.perturbed(bits: bits, &generator) }
      _ = try reference.run(perturbed, inputs: perturbedInputs) { result in
        let pairs = zip(result.outputs, baseline[result.position] ?? [])
        for (index, (actual, expected)) in pairs.enumerated() where actual.shape == expected.shape {
          effects[result.position]?[index].include(
            TensorDifference(actual: actual, expected: expected))
        }
      }
      guard discrepancies.contains(where: { self[$0]?.isUndecided($0.difference) == true }) else {
        return
      }
    }
  }

  /// The effect of rounding that was measured for the node's output that a discrepancy concerns.
  subscript(discrepancy: Discrepancy) -> RoundingEffect? {
    guard let effects = effects[discrepancy.position],
      effects.indices.contains(discrepancy.output)
    else { return nil }
    return effects[discrepancy.output]
  }
}

/// An output of a node that is out of tolerance.
struct Discrepancy {
  /// The node's position.
  let position: Int
  /// The index of the output.
  let output: Int
  let difference: TensorDifference
}

/// The effect of rounding on one tensor.
struct RoundingEffect {
  private let bits: Int
  private var change = 0.0
  private var largest = 0.0

  init(bits: Int) { self.bits = bits }

  mutating func include(_ difference: TensorDifference) {
    change = max(
      change, difference.nonFiniteMismatches > 0 ? .infinity : difference.maxAbsolute)
    largest = max(largest, difference.largestExpected)
  }

  /// The factor by which one ulp grows: the change, in ulps of the largest element.
  private var amplification: Double { largest > 0 ? change / largest.unit(bits: bits) : 0 }

  /// The largest difference that rounding explains. Where an element was perturbed once, a result
  /// is rounded several times: in products, in sums, and in functions that are exact to a few ulps.
  private var explainable: Double { 8 * change }

  /// Whether further measurements might explain a difference that those so far do not.
  func isUndecided(_ difference: TensorDifference) -> Bool {
    difference.maxAbsolute > explainable && difference.maxAbsolute <= 64 * explainable
  }

  /// If rounding explains more than this fraction of the largest element, it would hide a wrong
  /// computation too.
  private static let conclusiveFraction = 0.01

  /// Judges a difference that is out of tolerance.
  ///
  /// - Parameter subject: The thing that amplifies rounding, for example `this model`.
  /// - Returns: The verdict and its explanation: passed where rounding explains the difference,
  ///   failed where it does not, and a warning where it would explain almost any difference.
  func judge(_ difference: TensorDifference, _ subject: String) -> (CheckResult.Status, String) {
    let explanation = "\(subject) amplifies rounding by \(amplification.twoDigits)"
    guard difference.nonFiniteMismatches == 0, difference.maxAbsolute <= explainable else {
      return (.failed, explanation + ", which explains no more than \(explainable.scientific)")
    }
    guard explainable <= Self.conclusiveFraction * largest else {
      return (.warning, explanation + ", so this comparison is not conclusive")
    }
    return (.passed, explanation + ", which explains as much as \(explainable.scientific)")
  }
}

extension Graph {
  /// Returns the same graph with its floating-point weights changed.
  func changingWeights(_ change: (Tensor) -> Tensor) -> Graph {
    var changed: [ValueID: Tensor] = [:]
    for node in nodes {
      for (position, id) in node.inputs.enumerated() where changed[id] == nil {
        guard case .weight = node.operation.slot(position), let tensor = self[id].constant,
          tensor.elementType.isFloat
        else { continue }
        changed[id] = change(tensor)
      }
    }
    return settingConstants(changed)
  }
}

extension Tensor {
  /// Returns the tensor with each element one ulp larger or smaller. Whole numbers are unchanged:
  /// they are exact, and some are indices.
  fileprivate func perturbed(bits: Int, _ generator: inout SplitMix64) -> Tensor {
    guard elementType.isFloat else { return self }
    let numbers = doubles.map { number in
      guard number.isFinite, number != number.rounded() else { return number }
      let unit = number.unit(bits: bits)
      return generator.next() & 1 == 0 ? number + unit : number - unit
    }
    return Tensor(elementType, shape: shape, numbers)
  }
}

extension Double {
  /// Returns one unit in the last place of a number with the given number of significant bits.
  fileprivate func unit(bits: Int) -> Double {
    Double(sign: .plus, exponent: Int(exponent) - bits + 1, significand: 1)
  }

  /// Two significant digits: `less than 1`, `12`, `3,000`, `2.10e+07`.
  fileprivate var twoDigits: String {
    guard self >= 1 else { return "less than 1" }
    guard self < 1e6 else { return scientific }
    var (digits, zeros) = (self, 0)
    while digits >= 100 { (digits, zeros) = (digits / 10, zeros + 1) }
    let text = Array("\(Int(digits.rounded()))\(String(repeating: "0", count: zeros))")
    return text.indices.map { index in
      index > 0 && (text.count - index).isMultiple(of: 3) ? ",\(text[index])" : "\(text[index])"
    }.joined()
  }
}
