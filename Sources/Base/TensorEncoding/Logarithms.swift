#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Logarithms with which encoders compare sizes. No stored value depends on their last bit.
enum Logarithms {
  static func base2(_ number: Double) -> Double { log2(number) }
}
