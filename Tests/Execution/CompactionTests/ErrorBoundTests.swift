import Bytes
import Testing

@testable import Compaction

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The error that at most one in 20 other inputs exceeds.
@Suite struct ErrorBoundTests {
  /// The share of a log-normal distribution of median 1 above a number.
  private static func share(above number: Double, spread: Double) -> Double {
    erfc(log(number) / spread / 2.0.squareRoot()) / 2
  }

  private static func errors(
    _ count: Int, spread: Double, _ generator: inout SplitMix64
  ) -> [Double] {
    (0..<count).map { _ in exp(spread * Double(GeneratedImage.gaussian(&generator))) }
  }

  @Test(arguments: [2, 4, 8, 32, 200], [0.2, 0.4, 0.6])
  func `19 bounds in 20 hold for 19 of 20 inputs`(_ count: Int, _ spread: Double) {
    var generator = SplitMix64(seed: UInt64(count))
    let rounds = 2000
    let held = (0..<rounds).count { _ in
      let errors = Self.errors(count, spread: spread, &generator)
      return Self.share(above: ErrorBound.value(errors, kinds: []), spread: spread) <= 0.05
    }
    #expect(Double(held) / Double(rounds) > (spread < 0.5 ? 0.95 : 0.9))
  }

  @Test func `the bound of many inputs is above the 95 % quantile by their spread`() {
    var generator = SplitMix64(seed: 1)
    let errors = Self.errors(400, spread: 0.4, &generator)
    let sorted = errors.sorted()
    // The largest error is above the quantile; without it the fit remains.
    let usual = Array(sorted.dropLast(20))
    let bound = ErrorBound.value(usual, kinds: [])
    #expect(bound >= usual[usual.count - 1])
    #expect(bound < 1.2 * exp(0.4) * sorted[380])
  }

  @Test func `no measured error is above the bound`() {
    #expect(ErrorBound.value([0.01, 0.01, 0.01, 0.5], kinds: []) >= 0.5)
    #expect(ErrorBound.value([0.01], kinds: []) > 0.03)
    #expect(ErrorBound.value([0, 0], kinds: []) == 0)
    #expect(ErrorBound.value([], kinds: []) == 0)
    #expect(ErrorBound.value([0.1, .infinity], kinds: []) == .infinity)
  }

  @Test func `the bound has a larger margin if few inputs or none were given`() {
    // Hardly spread, so that the least margins count.
    let errors = (0..<80).map { $0 % 4 == 0 ? 0.021 : 0.02 }
    let given = ErrorBound.value(errors, kinds: errors.map { _ in 0 })
    #expect(given == ErrorBound.value(errors, kinds: []))
    let noise = ErrorBound.value(errors, kinds: errors.map { _ in 1 })
    #expect(abs(noise / given - 1.5 / 1.12) < 1e-12)
    let few = errors.indices.map { $0 < 4 ? 0 : 1 }
    let bound = ErrorBound.value(errors, kinds: few)
    #expect(bound == ErrorBound.value(errors, kinds: few.map { $0 + 1 }))
    #expect(bound / given >= 1.2 / 1.12)
    #expect(ErrorBound.value([0, 0], kinds: [1, 2]) == 0)
  }

  @Test func `the margin grows with the spread of the errors`() {
    let narrow = [0.02, 0.02, 0.02, 0.021, 0.02, 0.02, 0.02, 0.021]
    let wide = [0.002, 0.02, 0.004, 0.2, 0.02, 0.05, 0.01, 0.02]
    #expect(ErrorBound.value(wide, kinds: []) > 2 * 0.2)
    #expect(ErrorBound.value(narrow, kinds: []) < 2.5 * 0.02)
  }

  @Test func `many inputs of one kind do not hide another kind`() {
    let errors = [Double](repeating: 0.01, count: 100) + [0.03, 0.03, 0.03, 0.03]
    let kinds = [Int](repeating: 0, count: 100) + [1, 1, 1, 1]
    #expect(ErrorBound.value(errors, kinds: kinds) > 1.1 * 0.03)
    #expect(ErrorBound.value(errors, kinds: kinds) > ErrorBound.value(errors, kinds: []))
  }
}
