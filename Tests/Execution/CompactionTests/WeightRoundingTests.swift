import Bytes
import GraphIR
import LayerCatalog
import TensorEncoding
import Testing

@testable import Compaction

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Rounding with feedback against the same as it was first published, in Double, with an inverse
/// matrix.
@Suite struct WeightRoundingTests {
  private static func random(_ count: Int, seed: UInt64) -> [Float] {
    var generator = SplitMix64(seed: seed)
    return (0..<count).map { _ in Float.random(in: -1...1, using: &generator) }
  }

  /// A dense layer's weight whose inputs are correlated vectors.
  private static func problem(
    rows: Int, columns: Int
  ) -> (weight: CompactableWeight, moments: InputMoments) {
    let tensor = Tensor(.float32, shape: [rows, columns], floats: random(rows * columns, seed: 1))
    let weight = CompactableWeight(
      id: ValueID(0), name: "kernel", tensor: tensor, outputAxes: [0], inputAxes: [1], groups: 1,
      sources: [.init(value: ValueID(1), vectors: .axes(input: 0, [1]))])
    var moments = InputMoments(weight, limit: 1 << 20)
    var vectors: [Float] = []
    let noise = random(3 * columns * columns, seed: 2)
    for vector in 0..<3 * columns {
      var state: Float = 0
      for column in 0..<columns {
        state = 0.8 * state + noise[vector * columns + column]
        vectors.append(state)
      }
    }
    moments.add([vectors], workers: Workers(count: 1))
    moments.finish(workers: Workers(count: 1))
    return (weight, moments)
  }

  private static func rounding(
    _ weight: CompactableWeight, _ moments: InputMoments?, step: Float, isDependent: Bool = false
  ) -> WeightRounding {
    let steps = [Float](repeating: step, count: weight.rows)
    return WeightRounding(
      weight: weight, basis: RoundingBasis(weight, moments, workers: Workers(count: 1)),
      grid: isDependent ? .dependent(steps) : .rows(steps))
  }

  /// The symmetric matrix of the inputs with 10 % of the mean of its diagonal on it.
  private static func damped(_ moments: InputMoments) -> [[Double]] {
    let lower = moments.matrices[0]
    let count = lower.rows
    let mean = lower.diagonal.reduce(0.0) { $0 + Double($1) } / Double(count)
    return (0..<count).map { row in
      (0..<count).map { column in
        Double(lower[max(row, column), min(row, column)]) + (row == column ? 0.1 * mean : 0)
      }
    }
  }

  /// What errors do to the products with the inputs.
  private static func loss(_ errors: [[Double]], _ moments: [[Double]]) -> Double {
    errors.reduce(0) { sum, row in
      sum
        + row.indices.reduce(0) { partial, first in
          partial + row.indices.reduce(0) { $0 + row[first] * moments[first][$1] * row[$1] }
        }
    }
  }

  /// The inverse by Gauss and Jordan.
  private static func inverse(_ matrix: [[Double]]) -> [[Double]] {
    let count = matrix.count
    var rows = matrix.enumerated().map { row, numbers in
      numbers + (0..<count).map { $0 == row ? 1 : 0 }
    }
    for pivot in 0..<count {
      let factor = 1 / rows[pivot][pivot]
      rows[pivot] = rows[pivot].map { $0 * factor }
      for row in 0..<count where row != pivot {
        let part = rows[row][pivot]
        for column in 0..<2 * count { rows[row][column] -= part * rows[pivot][column] }
      }
    }
    return rows.map { Array($0[count...]) }
  }

  @Test(arguments: [(3, 5), (70, 40), (2, 150)])
  func `feedback equals eliminating one column after another`(_ rows: Int, _ columns: Int) {
    let (weight, moments) = Self.problem(rows: rows, columns: columns)
    let step = 0.25
    let result = Self.rounding(weight, moments, step: Float(step)).round(workers: Workers(count: 2))
    let matrix = Self.damped(moments)
    let order = (0..<columns).sorted { (matrix[$0][$0], $0) > (matrix[$1][$1], $1) }
    var numbers = (0..<rows).map { row in
      (0..<columns).map { Double(weight.tensor.doubles[row * columns + $0]) }
    }
    var inverse = Self.inverse(matrix)
    var same = 0
    for column in order {
      let own = inverse[column][column]
      for row in 0..<rows {
        let integer = (numbers[row][column] / step).rounded()
        if Int32(integer) == result.integers[column * rows + row] { same += 1 }
        let error = (numbers[row][column] - integer * step) / own
        for other in 0..<columns { numbers[row][other] -= error * inverse[column][other] }
      }
      let (pivotRow, pivot) = (inverse[column], own)
      for first in 0..<columns {
        for second in 0..<columns {
          inverse[first][second] -= pivotRow[first] * pivotRow[second] / pivot
        }
      }
    }
    // Where a number lies in the middle between two integers, single precision may decide
    // otherwise.
    #expect(Double(same) >= 0.99 * Double(rows * columns))
  }

  @Test func `feedback does less harm than rounding to the nearest`() {
    let (weight, moments) = Self.problem(rows: 20, columns: 60)
    let matrix = Self.damped(moments)
    let step: Float = 0.25
    func errors(_ integers: [Int32]) -> [[Double]] {
      let numbers = weight.tensor.doubles
      return (0..<20).map { row in
        (0..<60).map { numbers[row * 60 + $0] - Double(integers[$0 * 20 + row]) * Double(step) }
      }
    }
    let withFeedback = Self.rounding(weight, moments, step: step).round(workers: Workers(count: 2))
    let nearest = Self.rounding(weight, nil, step: step).round(workers: Workers(count: 2))
    let loss = Self.loss(errors(withFeedback.integers), matrix)
    #expect(loss < 0.5 * Self.loss(errors(nearest.integers), matrix))
    #expect(abs(withFeedback.loss - loss) < 1e-3 * loss)
  }

  @Test func `without inputs each number is rounded to the nearest`() {
    let (weight, _) = Self.problem(rows: 33, columns: 129)
    let result = Self.rounding(weight, nil, step: 0.1).round(workers: Workers(count: 2))
    let numbers = weight.transposed
    #expect(result.integers.count == 33 * 129)
    for (number, integer) in zip(numbers, result.integers) {
      #expect(abs(Double(number) - 0.1 * Double(integer)) <= 0.05 + 1e-6)
    }
  }

  @Test(arguments: [1, 2, 3, 16, 256])
  func `the nearest number of a table is chosen`(_ count: Int) {
    let (weight, _) = Self.problem(rows: 33, columns: 129)
    let levels = Self.random(count, seed: 3).sorted()
    let rounding = WeightRounding(
      weight: weight, basis: RoundingBasis(weight, nil, workers: Workers(count: 1)),
      grid: .levels(levels))
    let indices = rounding.round(workers: Workers(count: 2)).integers
    #expect(indices.count == 33 * 129)
    for (number, index) in zip(weight.transposed, indices) {
      let least = levels.map { abs($0 - number) }.min() ?? 0
      #expect(abs(abs(levels[Int(index)] - number) - least) <= 1e-6)
    }
  }

  @Test func `the number of threads changes no integer`() {
    let (weight, moments) = Self.problem(rows: 200, columns: 300)
    let results = [1, 2, 5].map {
      let basis = RoundingBasis(weight, moments, workers: Workers(count: $0))
      return WeightRounding(
        weight: weight, basis: basis, grid: .rows([Float](repeating: 0.1, count: 200))
      ).round(workers: Workers(count: $0)).integers
    }
    #expect(results[0] == results[1] && results[0] == results[2])
  }

  /// The multiples of the step of a dependently rounded weight, `[rows, columns]`.
  private static func multiples(_ result: WeightRounding.Result, _ weight: CompactableWeight)
    -> [Int32]
  {
    RANSIntegers.Content(
      integers: weight.inTensorOrder(result.integers), steps: [1], isDependent: true
    ).multiples(shape: weight.tensor.shape)
  }

  @Test(arguments: [(1, 5), (20, 150), (300, 40)])
  func `dependent quantization finds the path of least error`(_ rows: Int, _ columns: Int) {
    let (weight, _) = Self.problem(rows: rows, columns: columns)
    let step: Float = 0.05
    let result = Self.rounding(weight, nil, step: step, isDependent: true).round(
      workers: Workers(count: 2))
    let multiples = Self.multiples(result, weight)
    let numbers = weight.tensor.doubles
    let loss = zip(numbers, multiples).reduce(0.0) {
      $0 + ($1.0 - Double($1.1) * Double(step)) * ($1.0 - Double($1.1) * Double(step))
    }
    #expect(abs(loss - result.loss) < 1e-4 * loss)
    // All multiples around each number, by every state, as Viterbi would; in Double.
    var least = 0.0
    for column in 0..<columns {
      var costs = [0.0] + [Double](repeating: .infinity, count: 7)
      for row in 0..<rows {
        if row % 256 == 0, row > 0 {
          least += costs.min() ?? 0
          costs = [0.0] + [Double](repeating: .infinity, count: 7)
        }
        var next = [Double](repeating: .infinity, count: 8)
        let number = numbers[row * columns + column] / Double(step)
        for integer in Int(number / 2) - 3...Int(number / 2) + 3 {
          for state in 0..<8 {
            let multiple = 2 * integer - (state % 2 == 1 ? integer.signum() : 0)
            let bit = (integer + state / 2 + state / 4) & 1
            let cost = costs[state] + (number - Double(multiple)) * (number - Double(multiple))
            let target = (2 * state + bit) % 8
            next[target] = min(next[target], cost)
          }
        }
        costs = next
      }
      least += costs.min() ?? 0
    }
    least *= Double(step) * Double(step)
    #expect(abs(loss - least) < 1e-4 * least)
  }

  @Test func `dependent quantization does as much harm with fewer bits, by about a sixth of one`() {
    let (weight, moments) = Self.problem(rows: 512, columns: 64)
    let one = Self.rounding(weight, moments, step: 0.05).round(workers: Workers(count: 2))
    let rounding = Self.rounding(weight, moments, step: 0.05 * 0.58, isDependent: true)
    let other = rounding.round(workers: Workers(count: 2))
    func entropy(_ integers: [Int32]) -> Double {
      let counts = Dictionary(integers.map { ($0, 1.0) }, uniquingKeysWith: +).values
      let total = Double(integers.count)
      return counts.reduce(0) { $0 - $1 / total * log2($1 / total) }
    }
    let saved =
      entropy(one.integers) - entropy(other.integers) + log2(one.loss / other.loss) / 2
    #expect(saved > 0.12 && saved < 0.25, "\(saved)")
    // Errors are fed back: less harm than without inputs that are known.
    let withoutMoments = Self.rounding(weight, nil, step: 0.05 * 0.58, isDependent: true)
    let step = 0.05 * 0.58
    let matrix = Self.damped(moments)
    func loss(_ result: WeightRounding.Result) -> Double {
      let (numbers, multiples) = (weight.tensor.doubles, Self.multiples(result, weight))
      return Self.loss(
        (0..<512).map { row in
          (0..<64).map { numbers[row * 64 + $0] - Double(multiples[row * 64 + $0]) * step }
        }, matrix)
    }
    #expect(abs(loss(other) - other.loss) < 1e-3 * other.loss)
    #expect(loss(other) < 0.5 * loss(withoutMoments.round(workers: Workers(count: 2))))
  }

  @Test func `inputs that are always 0 are rounded to the nearest`() {
    let (weight, _) = Self.problem(rows: 4, columns: 70)
    var moments = InputMoments(weight, limit: 1 << 20)
    moments.add([[Float](repeating: 0, count: 700)], workers: Workers(count: 1))
    moments.finish(workers: Workers(count: 1))
    let result = Self.rounding(weight, moments, step: 0.1).round(workers: Workers(count: 1))
    let nearest = Self.rounding(weight, nil, step: 0.1).round(workers: Workers(count: 1))
    #expect(result.integers == nearest.integers)
  }
}
