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
      ? try RoundingSteps(powers: format, mode, saturates: saturates, in: self)
      : RoundingSteps(format, saturates: saturates)
    let table = newConstant(
      Tensor(.float32, shape: [steps.values.count], steps.values), "values")
    let positions = try apply(
      Discretization(boundaries: steps.boundaries, outputType: .int32), to: numbers,
      role: "positions")
    let found = try apply(Gather(axis: 0), to: table, positions, role: "found")
    let isNaN = try apply(Comparison(.notEqual), to: numbers, numbers, role: "is_nan")
    let nan = number(format.specials == .none ? 0 : .nan, like: found, "nan")
    return try apply(Where(), to: isNaN, nan, found)
  }
}

/// All values of a floating-point type, ascending, and the boundaries of the numbers that are
/// rounded to each; a boundary belongs to the value above it.
private struct RoundingSteps {
  private(set) var values: [Double]
  private(set) var boundaries: [Double]

  /// The nearest value, and of two the one whose code is even.
  init(_ format: ONNXNarrowFloat, saturates: Bool) {
    let magnitudes = format.finite
    let isBounded = saturates || format.specials == .none
    let beyond = format.specials == .ieee ? Double.infinity : .nan
    values = magnitudes + (isBounded ? [] : [beyond])
    let steps = magnitudes + (isBounded ? [] : [format.overflow])
    let middles = zip(steps, steps.dropFirst()).map { ($0 + $1) / 2 }
    let negativeBoundaries = middles.enumerated().map { $0 % 2 == 0 ? -$1 : (-$1).nextUp }
    boundaries =
      negativeBoundaries.reversed() + [0]
      + middles.enumerated().map { $0 % 2 == 0 ? $1.nextUp : $1 }
    let negative = values.map { format.specials == .unsignedZero && $0 == 0 ? 0 : -$0 }
    values = negative.reversed() + values
  }

  /// Powers of two.
  init(
    powers format: ONNXNarrowFloat, _ mode: String, saturates: Bool, in layer: ONNXLayer
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
    if !saturates {
      boundaries = [values[0]] + boundaries + [(values.last ?? 0).nextUp]
      values = [.nan] + values + [.nan]
    }
  }
}
