import Bytes
import GraphIR

/// How much rounding changes what nodes make, measured: each number of the inputs and the weights is
/// moved by one unit in its last place, and the reference computes once more.
///
/// Arithmetic rounds every result on the way by as much. Two right computations of one node may
/// therefore lie some times this change apart, however large it is.
struct RoundingSensitivity {
  private var effects: [Int: [RoundingEffect]] = [:]

  /// How many times at most the inputs and weights are moved, each time in other directions.
  private static let repetitionCount = 4

  /// Measures as often as it takes to judge some discrepancies; each time is a run of the reference.
  ///
  /// - Parameter reference: Computes with less rounding than what is checked.
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
    var plain: [Int: [Tensor]] = [:]
    _ = try reference.run(graph, inputs: inputs) { result in
      guard positions.contains(result.position) else { return }
      plain[result.position] = result.outputs
      effects[result.position] = result.outputs.map { _ in RoundingEffect(bits: bits) }
    }
    for repetition in 0..<Self.repetitionCount {
      var generator = SplitMix64(seed: UInt64(repetition))
      let moved = graph.changingWeights { $0.moved(bits: bits, &generator) }
      let movedInputs = inputs.map { $0.moved(bits: bits, &generator) }
      _ = try reference.run(moved, inputs: movedInputs) { result in
        let pairs = zip(result.outputs, plain[result.position] ?? [])
        for (number, (got, want)) in pairs.enumerated() where got.shape == want.shape {
          effects[result.position]?[number].include(TensorDifference(got: got, want: want))
        }
      }
      guard discrepancies.contains(where: { self[$0]?.isOpen($0.difference) == true }) else {
        return
      }
    }
  }

  /// What was measured for the output of a node that a discrepancy is about.
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
  /// Which of its outputs.
  let output: Int
  let difference: TensorDifference
}

/// What rounding makes of one tensor.
struct RoundingEffect {
  private let bits: Int
  private var change = 0.0
  private var largest = 0.0

  init(bits: Int) { self.bits = bits }

  mutating func include(_ difference: TensorDifference) {
    change = max(
      change, difference.nonFiniteMismatches > 0 ? .infinity : difference.maxAbsolute)
    largest = max(largest, difference.largestWanted)
  }

  /// By how much one unit in the last place grows: the change, in units in the last place of the
  /// largest number.
  private var amplification: Double { largest > 0 ? change / largest.unit(bits: bits) : 0 }

  /// How far two right computations may lie apart. A result is rounded several times where a number
  /// was moved once: in products, in sums, and in functions that are exact to a few units.
  private var explained: Double { 8 * change }

  /// Whether another measurement might explain a difference that this one does not.
  func isOpen(_ difference: TensorDifference) -> Bool {
    difference.maxAbsolute > explained && difference.maxAbsolute <= 64 * explained
  }

  /// Beyond this part of the largest number, what rounding explains hides a wrong computation too.
  private static let largestTelling = 0.01

  /// Judges a difference that is out of tolerance.
  ///
  /// - Parameter subject: What amplifies, for example `this model`.
  /// - Returns: The verdict, and the words for it: passed where rounding explains the difference, failed
  ///   where it does not, and a warning where it would explain almost everything.
  func judge(_ difference: TensorDifference, _ subject: String) -> (CheckResult.Status, String) {
    let words = "\(subject) amplifies rounding by \(amplification.inWords)"
    guard difference.nonFiniteMismatches == 0, difference.maxAbsolute <= explained else {
      return (.failed, words + ", which explains no more than \(explained.short)")
    }
    guard explained <= Self.largestTelling * largest else {
      return (.warning, words + ", so that these numbers cannot tell whether it is right")
    }
    return (.passed, words + ", which explains as much as \(explained.short)")
  }
}

extension Graph {
  /// The same graph with other numbers in the weights that are not whole ones.
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
  /// The tensor with each number one unit in the last place larger or smaller. Whole numbers stay: they
  /// are exact, and some stand for indices.
  fileprivate func moved(bits: Int, _ generator: inout SplitMix64) -> Tensor {
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
  /// One unit in the last place of a number with so many significant bits.
  fileprivate func unit(bits: Int) -> Double {
    Double(sign: .plus, exponent: Int(exponent) - bits + 1, significand: 1)
  }

  /// Two significant digits: `less than 1`, `12`, `3,000`, `2.10e+07`.
  fileprivate var inWords: String {
    guard self >= 1 else { return "less than 1" }
    guard self < 1e6 else { return short }
    var (digits, zeros) = (self, 0)
    while digits >= 100 { (digits, zeros) = (digits / 10, zeros + 1) }
    let text = Array("\(Int(digits.rounded()))\(String(repeating: "0", count: zeros))")
    return text.indices.map { index in
      index > 0 && (text.count - index).isMultiple(of: 3) ? ",\(text[index])" : "\(text[index])"
    }.joined()
  }
}
