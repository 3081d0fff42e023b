package import Bytes
package import GraphIR

extension Tensor {
  /// Returns a tensor of random elements, uniformly distributed over `range`.
  package static func random(
    _ elementType: ElementType, shape: [Int], in range: ClosedRange<Double>, seed: UInt64
  ) -> Tensor {
    var generator = SplitMix64(seed: seed)
    let elements = (0..<shape.reduce(1, *)).map { _ in
      Double.random(in: range, using: &generator)
    }
    return Tensor(elementType, shape: shape, elements)
  }

  /// Returns the same values in another element type.
  package func converted(to elementType: ElementType) -> Tensor {
    Tensor(elementType, shape: shape, doubles)
  }
}
