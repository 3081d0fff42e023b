public import Bytes

/// The allowed difference between two computations of one tensor.
///
/// Two computations agree when max|actual - expected| <= absolute + relative *
/// max|expected|.
public struct Tolerance: Hashable, Sendable {
  /// The absolute part, in the tensor's own unit.
  public var absolute: Double
  /// The part relative to the largest expected magnitude.
  public var relative: Double
  /// If set, replaces both with a bound on the distance of whole tensors: ||actual - expected|| <=
  /// bound * ||expected|| in the Euclidean norm; if all expected elements are 0, bound * the norm
  /// of as many ones.
  public var relativeL2: Double?

  /// Creates a bound on the distance of whole tensors.
  public init(relativeL2: Double) {
    (absolute, relative) = (0, 0)
    self.relativeL2 = relativeL2
  }

  /// Creates a tolerance.
  public init(absolute: Double, relative: Double) {
    self.absolute = absolute
    self.relative = relative
  }

  /// The tolerance for results of a number type: float32 (and wider, and integers) 1e-5,
  /// float16 2e-3, bfloat16 8e-3, each absolute and relative.
  public static func standard(for elementType: ElementType) -> Tolerance {
    switch elementType {
    case .float16: Tolerance(absolute: 2e-3, relative: 2e-3)
    case .bfloat16: Tolerance(absolute: 8e-3, relative: 8e-3)
    default: Tolerance(absolute: 1e-5, relative: 1e-5)
    }
  }
}
