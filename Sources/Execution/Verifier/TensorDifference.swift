import Bytes
public import GraphIR

/// The difference between two tensors of the same shape.
public struct TensorDifference: Hashable, Sendable {
  /// The largest |actual - expected|, over the elements that are finite in both.
  public let maxAbsolute: Double
  /// The largest |actual - expected|, divided by the largest |expected|; 0 when both are 0.
  public let maxRelative: Double
  /// ||actual - expected|| / ||expected|| in the Euclidean norm; where expected is 0 everywhere, the root mean
  /// square of got, as if it were relative to 1.
  public let relativeL2: Double
  /// The cosine of the angle between the two as vectors: 1 when they have the same direction.
  public let cosine: Double
  /// The indices of the element with the largest error.
  public let worstIndex: [Int]
  /// The computed value at `worstIndex`.
  public let worstActual: Double
  /// The expected value at `worstIndex`.
  public let worstExpected: Double
  /// The number of elements where only one is NaN or infinite, or both are but differently.
  public let nonFiniteMismatches: Int

  /// The largest |expected| that is finite.
  let largestExpected: Double
  private let elementType: ElementType

  /// The error of a tensor as the public API defines it: max|actual - expected| / max(1, max|expected|).
  public var error: Double { maxAbsolute / max(1, largestExpected) }

  /// The worst element and its expected value, with the digits of its type.
  var worstDescription: String {
    guard elementType == .float32 else { return "\(worstActual) instead of \(worstExpected)" }
    return "\(Float(worstActual)) instead of \(Float(worstExpected))"
  }

  /// Whether the difference is within a tolerance, and NaN and infinities match.
  public func isWithin(_ tolerance: Tolerance) -> Bool {
    guard nonFiniteMismatches == 0 else { return false }
    if let bound = tolerance.relativeL2 { return relativeL2 <= bound }
    return maxAbsolute <= tolerance.absolute + tolerance.relative * largestExpected
  }

  /// Compares two tensors, element by element, as `Double`. Copies both.
  ///
  /// - Parameters:
  ///   - actual: The computed tensor.
  ///   - expected: The expected tensor; traps unless it has the same shape.
  public init(actual: Tensor, expected: Tensor) {
    precondition(actual.shape == expected.shape, "tensors of different shapes")
    let (actualNumbers, expectedNumbers) = (actual.doubles, expected.doubles)
    var (largest, largestExpected, worst, mismatches, finite) = (0.0, 0.0, 0, 0, 0)
    var (dot, actualSquares, expectedSquares, errorSquares) = (0.0, 0.0, 0.0, 0.0)
    for index in actualNumbers.indices {
      let (actual, expected) = (actualNumbers[index], expectedNumbers[index])
      guard actual.isFinite, expected.isFinite else {
        if !(actual.isNaN && expected.isNaN) && actual != expected {
          if mismatches == 0 { worst = index }
          mismatches += 1
        }
        continue
      }
      finite += 1
      largestExpected = max(largestExpected, abs(expected))
      if abs(actual - expected) > largest, mismatches == 0 { worst = index }
      largest = max(largest, abs(actual - expected))
      dot += actual * expected
      actualSquares += actual * actual
      expectedSquares += expected * expected
      errorSquares += (actual - expected) * (actual - expected)
    }
    maxAbsolute = largest
    maxRelative =
      largestExpected > 0 ? largest / largestExpected : (largest > 0 ? .infinity : 0)
    let divisor = expectedSquares > 0 ? expectedSquares : Double(max(1, finite))
    relativeL2 = (errorSquares / divisor).squareRoot()
    let norms = (actualSquares * expectedSquares).squareRoot()
    cosine = norms > 0 ? dot / norms : (actualSquares == expectedSquares ? 1 : 0)
    nonFiniteMismatches = mismatches
    self.largestExpected = largestExpected
    elementType = actual.elementType
    worstActual = actualNumbers.isEmpty ? 0 : actualNumbers[worst]
    worstExpected = expectedNumbers.isEmpty ? 0 : expectedNumbers[worst]
    var remainder = worst
    worstIndex = actual.shape.reversed().map { dimension in
      defer { remainder /= max(1, dimension) }
      return remainder % max(1, dimension)
    }.reversed()
  }
}
