package import Bytes
package import GraphIR

/// A sequence of numbers that looks random and is the same in each run (SplitMix64, Steele et al.
/// 2014).
package struct SeededNumbers: RandomNumberGenerator {
  private var state: UInt64

  /// - Parameter seed: Another one gives another sequence.
  package init(seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
    return bits ^ bits >> 31
  }
}

extension Tensor {
  /// A tensor of random numbers, evenly distributed over `range`.
  package static func random(
    _ elementType: ElementType, shape: [Int], in range: ClosedRange<Double>, seed: UInt64
  ) -> Tensor {
    var numbers = SeededNumbers(seed: seed)
    let elements = (0..<shape.reduce(1, *)).map { _ in Double.random(in: range, using: &numbers) }
    return Tensor(elementType, shape: shape, elements)
  }

  /// The same numbers in another element type.
  package func converted(to elementType: ElementType) -> Tensor {
    Tensor(elementType, shape: shape, doubles)
  }
}
