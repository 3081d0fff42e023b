import Bytes
public import GraphIR

/// The difference between two tensors of the same shape.
public struct TensorDifference: Hashable, Sendable {
  /// The largest |got - want|, over the elements that are finite in both.
  public let maxAbsolute: Double
  /// The largest |got - want|, divided by the largest |want|; 0 when both are 0.
  public let maxRelative: Double
  /// ||got - want|| / ||want|| in the Euclidean norm; where want is 0 everywhere, the root mean
  /// square of got, as if it were relative to 1.
  public let relativeL2: Double
  /// The cosine of the angle between the two as vectors: 1 when they have the same direction.
  public let cosine: Double
  /// The indices of the element that is farthest off.
  public let worstIndex: [Int]
  /// The computed value at `worstIndex`.
  public let worstGot: Double
  /// The expected value at `worstIndex`.
  public let worstWant: Double
  /// The number of elements where only one is NaN or infinite, or both are but differently.
  public let nonFiniteMismatches: Int

  /// The largest |want| that is finite.
  let largestWanted: Double
  private let elementType: ElementType

  /// The error of a tensor as the public API defines it: max|got - want| / max(1, max|want|).
  public var error: Double { maxAbsolute / max(1, largestWanted) }

  /// The worst element and its expected value, in as many digits as its type has.
  var worstInWords: String {
    guard elementType == .float32 else { return "\(worstGot) instead of \(worstWant)" }
    return "\(Float(worstGot)) instead of \(Float(worstWant))"
  }

  /// Whether the difference is within a tolerance, and NaN and infinities match.
  public func isWithin(_ tolerance: Tolerance) -> Bool {
    guard nonFiniteMismatches == 0 else { return false }
    if let bound = tolerance.relativeL2 { return relativeL2 <= bound }
    return maxAbsolute <= tolerance.absolute + tolerance.relative * largestWanted
  }

  /// Compares two tensors, element by element, as `Double`. Copies both.
  ///
  /// - Parameters:
  ///   - got: What was computed.
  ///   - want: What should have been computed; of the same shape, or it traps.
  public init(got: Tensor, want: Tensor) {
    precondition(got.shape == want.shape, "tensors of different shapes")
    let (gots, wants) = (got.doubles, want.doubles)
    var (largest, wanted, worst, mismatches, finite) = (0.0, 0.0, 0, 0, 0)
    var (dot, gotSquares, wantSquares, squares) = (0.0, 0.0, 0.0, 0.0)
    for index in gots.indices {
      let (got, want) = (gots[index], wants[index])
      guard got.isFinite, want.isFinite else {
        if !(got.isNaN && want.isNaN) && got != want {
          if mismatches == 0 { worst = index }
          mismatches += 1
        }
        continue
      }
      finite += 1
      wanted = max(wanted, abs(want))
      if abs(got - want) > largest, mismatches == 0 { worst = index }
      largest = max(largest, abs(got - want))
      dot += got * want
      gotSquares += got * got
      wantSquares += want * want
      squares += (got - want) * (got - want)
    }
    maxAbsolute = largest
    maxRelative = wanted > 0 ? largest / wanted : (largest > 0 ? .infinity : 0)
    relativeL2 = (squares / (wantSquares > 0 ? wantSquares : Double(max(1, finite)))).squareRoot()
    let norms = (gotSquares * wantSquares).squareRoot()
    cosine = norms > 0 ? dot / norms : (gotSquares == wantSquares ? 1 : 0)
    nonFiniteMismatches = mismatches
    largestWanted = wanted
    elementType = got.elementType
    worstGot = gots.isEmpty ? 0 : gots[worst]
    worstWant = wants.isEmpty ? 0 : wants[worst]
    var rest = worst
    worstIndex = got.shape.reversed().map { dimension in
      defer { rest /= max(1, dimension) }
      return rest % max(1, dimension)
    }.reversed()
  }
}
