import Testing

@testable import Compaction

@Suite struct StepAllocationTests {
  /// The sum over all weights of the bits that their steps take, but for a constant.
  private func bits(_ steps: [Double], _ counts: [Int]) -> Double {
    zip(steps, counts).reduce(0) { sum, pair in
      var (bits, step) = (0.0, pair.0)
      // A logarithm to base 2 by repeated squaring, good to 2^-30.
      while step >= 2 { (step, bits) = (step / 2, bits + 1) }
      while step < 1 { (step, bits) = (step * 2, bits - 1) }
      var part = 0.5
      for _ in 0..<30 {
        step *= step
        if step >= 2 { (step, bits) = (step / 2, bits + part) }
        part /= 2
      }
      return sum - bits * Double(pair.1)
    }
  }

  @Test func `no other steps take fewer bits for the same error`() {
    let gains = [[3.0, 0.1], [0.02, 5], [1, 1], [0.5, 0]]
    let counts = [1000, 50, 20_000, 300]
    let steps = StepAllocation(gains: gains, counts: counts).steps
    func worst(_ steps: [Double]) -> Double {
      (0..<2).map { output in
        zip(gains, steps).reduce(0) { $0 + $1.0[output] * $1.1 * $1.1 }
      }.max() ?? 0
    }
    #expect(abs(worst(steps) - 1) < 1e-9)
    let least = bits(steps, counts)
    for first in steps.indices {
      for second in steps.indices where second != first {
        for change in [0.8, 1.25] {
          var other = steps
          other[first] *= change
          other[second] /= change
          let scale = worst(other).squareRoot()
          #expect(bits(other.map { $0 / scale }, counts) > least - 1)
        }
      }
    }
  }

  @Test func `a weight that affects no output gets a finite step`() {
    let steps = StepAllocation(gains: [[1], [0]], counts: [10, 10]).steps
    #expect(steps.allSatisfy { $0 > 0 && $0.isFinite })
  }
}
