#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The functions that map a model's raw outputs to probabilities and sizes.
package enum Activations {
  /// e^x
  static func exponential(_ x: Double) -> Double { exp(x) }

  /// 1 / (1 + e^-x)
  static func sigmoid(_ x: Double) -> Double { 1 / (1 + exp(-x)) }

  /// e^x over the sum of all e^x.
  package static func softmax(_ numbers: [Double]) -> [Double] {
    let largest = numbers.max() ?? 0
    let powers = numbers.map { exp($0 - largest) }
    let sum = powers.reduce(0, +)
    return powers.map { $0 / sum }
  }

  /// Returns a non-negative number raised to a power.
  static func power(_ base: Double, _ exponent: Double) -> Double { pow(base, exponent) }
}
