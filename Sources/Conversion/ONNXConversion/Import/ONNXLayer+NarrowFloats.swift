import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// Rounding to floating-point numbers of 8 bits or less: a number's interval among those that are
/// rounded to one value selects it from a table of all values.
extension ONNXLayer {
  /// Rounds numbers to those of a type, held in float32.
  ///
  /// - Parameters:
  ///   - mode: How powers of two are rounded: `up`, `down` or `nearest`; other types round to the
  ///     nearest and ties to even.
  ///   - saturates: Whether numbers beyond the largest become it; otherwise they are infinite, or
  ///     NaN where the type has no infinity.
  mutating func rounded(
    _ value: ONNXValue, to format: ONNXNarrowFloat, _ mode: String = "up", saturates: Bool
  ) throws(WeighbridgeError) -> ONNXValue {
    var numbers = value
    if !type(value).elementType.isFloat {
      numbers = try apply(Cast(to: .float32), to: value, role: "numbers")
    }
    let steps =
      format.specials == .powers
      ? try RoundingSteps(powers: format, mode, in: self) : RoundingSteps(format)
    let table = newConstant(
      Tensor(.float32, shape: [steps.values.count], steps.values), "values")
    let positions = try apply(
      Discretization(boundaries: steps.boundaries, outputType: .int32), to: numbers,
      role: "positions")
    var found = try apply(Gather(axis: 0), to: table, positions, role: "found")
    if !saturates, format.specials != .none {
      found = try unsaturated(found, numbers, steps, isInfinite: format.specials == .ieee)
    }
    let isNaN = try apply(Comparison(.notEqual), to: numbers, numbers, role: "is_nan")
    let kept =
      format.specials == .none
      ? number(0, like: found, "zero") : try apply(Cast(to: .float32), to: numbers, role: "kept")
    return try apply(Where(), to: isNaN, kept, found)
  }

  /// Replaces what numbers beyond the limits are rounded to by infinity or NaN, neither of which is
  /// a constant of the file.
  private mutating func unsaturated(
    _ found: ONNXValue, _ numbers: ONNXValue, _ steps: RoundingSteps, isInfinite: Bool
  ) throws(WeighbridgeError) -> ONNXValue {
    let size = try apply(UnaryMath(.absolute), to: numbers, role: "size")
    let limit = number(steps.limit, like: numbers, "limit")
    var isBeyond = try apply(
      Comparison(steps.includesLimit ? .greaterOrEqual : .greater), to: size, limit,
      role: "is_beyond")
    if let least = steps.least {
      let isBelow = try apply(
        Comparison(.less), to: numbers, number(least, like: numbers, "least"), role: "is_below")
      isBeyond = try apply(LogicalOr(), to: isBeyond, isBelow, role: "is_outside")
    }
    let special: ONNXValue
    if isInfinite {
      let zero = number(0, like: numbers, "zero")
      special = try apply(BinaryMath(.divide), to: numbers, zero, role: "infinity")
    } else {
      let negative = try apply(
        Subtract(), to: number(-1, like: size, "minus_one"), size, role: "negative")
      special = try apply(UnaryMath(.squareRoot), to: negative, role: "not_a_number")
    }
    let wide = try apply(Cast(to: .float32), to: special, role: "special")
    return try apply(Where(), to: isBeyond, wide, found, role: "unsaturated")
  }
}

/// All values of a floating-point type, ascending, and the boundaries of the numbers that are
/// rounded to each; a boundary belongs to the value above it.
private struct RoundingSteps {
  let values: [Double]
  let boundaries: [Double]
  /// The largest magnitude that is rounded to the largest value, if the code of that is even;
  /// otherwise the smallest one that is not.
  let limit: Double
  /// Whether the limit itself is beyond.
  let includesLimit: Bool
  /// The smallest number that does not become the smallest value from below; `nil` if there is none.
  var least: Double?

  /// The nearest value, and of two the one whose code is even.
  init(_ format: ONNXNarrowFloat) {
    let magnitudes = format.finite
    let middles = zip(magnitudes, magnitudes.dropFirst()).map { ($0 + $1) / 2 }
    let negativeBoundaries = middles.enumerated().map { $0 % 2 == 0 ? -$1 : (-$1).nextUp }
    boundaries =
      negativeBoundaries.reversed() + [0]
      + middles.enumerated().map { $0 % 2 == 0 ? $1.nextUp : $1 }
    let negative = magnitudes.map { format.specials == .unsignedZero && $0 == 0 ? 0 : -$0 }
    values = negative.reversed() + magnitudes
    limit = ((magnitudes.last ?? 0) + format.overflow) / 2
    includesLimit = magnitudes.count % 2 == 0
  }

  /// Powers of two.
  init(
    powers format: ONNXNarrowFloat, _ mode: String, in layer: ONNXLayer
  ) throws(WeighbridgeError) {
    values = format.finite
    let pairs = zip(values, values.dropFirst())
    switch mode {
    case "up": boundaries = pairs.map { $0.0.nextUp }
    case "down": boundaries = pairs.map { $0.1 }
    case "nearest": boundaries = pairs.map { ($0.0 + $0.1) / 2 }
    default:
      throw layer.malformed(
        "has the round_mode \(mode), and up, down or nearest is expected")
    }
    limit = values.last ?? 0
    includesLimit = false
    least = values.first
  }
}
