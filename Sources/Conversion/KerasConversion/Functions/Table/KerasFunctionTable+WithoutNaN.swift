import Bytes
import GraphIR
import KerasFormat
import LayerCatalog

/// Reductions and cumulative functions that skip NaN; those of integers are the plain functions.
extension KerasFunctionTable {
  static let withoutNaN: [Entry] =
    entries([
      Names(["Nansum"], Reduce.Function.sum), Names(["Nanprod"], .product),
      Names(["Nanmax"], .maximum), Names(["Nanmin"], .minimum), Names(["Nanmean"], .mean),
      Names(["Nanvar"], .variance), Names(["Nanstd"], .standardDeviation),
    ]) { (call, function: Reduce.Function) throws(WeighbridgeError) in
      try call.addReductionOfNumbers(function)
    } + others

  private static let others: [Entry] = [
    Entry(["Nanargmax"]) { (call) throws(WeighbridgeError) in
      try call.addPlaceOfNumber(ArgMax.self, below: -.infinity)
    },
    Entry(["Nanargmin"]) { (call) throws(WeighbridgeError) in
      try call.addPlaceOfNumber(ArgMin.self, below: .infinity)
    },
    Entry(["Nancumsum"]) { (call) throws(WeighbridgeError) in
      let value = try call.numbers(try call.tensor("x", at: 0), else: 0)
      return try call.addCumulative(CumSum.self, of: value)
    },
    Entry(["Nancumprod"]) { (call) throws(WeighbridgeError) in
      let value = try call.numbers(try call.tensor("x", at: 0), else: 1)
      return try call.addCumulative(CumProd.self, of: value)
    },
  ]
}

extension KerasFunction {
  fileprivate mutating func addReductionOfNumbers(
    _ function: Reduce.Function
  ) throws(WeighbridgeError) -> [ValueID] {
    let (value, type) = try typedTensor("x", at: 0)
    guard type.elementType.isFloat else { return try addReduction(function, of: value) }
    let axes = try axes("axis", of: type) ?? Array(0..<type.rank)
    let keepDims = try flag("keepdims", default: false)
    switch function {
    case .mean: return try result(try meanOfNumbers(value, axes, keepDims: keepDims))
    case .variance, .standardDeviation:
      // JAX computes it in float32 at least.
      let isWide = !layer.writer.isJAX || type.elementType.byteCount >= 4
      let wide = isWide ? value : try part(Cast(to: .float32), value)
      var variance = try varianceOfNumbers(wide, axes, keepDims: keepDims)
      if function == .standardDeviation { variance = try part(UnaryMath(.squareRoot), variance) }
      return try result(variance, as: type.elementType)
    case .maximum, .minimum:
      // Of elements that are all NaN it is NaN.
      let isEmpty = try reduced(.all, try isNaN(value), axes, keepDims: keepDims)
      let numbers = try replacingNaN(
        in: value, by: function == .maximum ? -.infinity : .infinity)
      let extremum = try reduced(function, numbers, axes, keepDims: keepDims)
      return try add(Where(), [isEmpty, try number(.nan, like: extremum), extremum])
    default:
      let numbers = try replacingNaN(in: value, by: function == .product ? 1 : 0)
      return try add(Reduce(function, axes: axes, keepDims: keepDims), [numbers])
    }
  }

  private mutating func meanOfNumbers(
    _ value: ValueID, _ axes: [Int], keepDims: Bool
  ) throws(WeighbridgeError) -> ValueID {
    let sum = try reduced(.sum, try replacingNaN(in: value, by: 0), axes, keepDims: keepDims)
    let count = try reduced(.sum, try isNumber(value), axes, keepDims: keepDims)
    return try part(BinaryMath(.divide), sum, count)
  }

  private mutating func varianceOfNumbers(
    _ value: ValueID, _ axes: [Int], keepDims: Bool
  ) throws(WeighbridgeError) -> ValueID {
    let mean = try meanOfNumbers(value, axes, keepDims: true)
    let distance = try part(
      Where(), try isNaN(value), try number(0, like: value), try difference(value, mean))
    let squares = try part(UnaryMath(.square), distance)
    let sum = try reduced(.sum, squares, axes, keepDims: keepDims)
    let count = try reduced(.sum, try isNumber(value), axes, keepDims: keepDims)
    return try part(BinaryMath(.divide), sum, count)
  }

  /// Adds the place of the largest or smallest number, which is -1 where there is none.
  ///
  /// - Parameter bound: The number that no other is beyond.
  fileprivate mutating func addPlaceOfNumber<Operation: ArgumentReduction>(
    _ operation: Operation.Type, below bound: Double
  ) throws(WeighbridgeError) -> [ValueID] {
    let (value, type) = try typedTensor("x", at: 0)
    guard type.elementType.isFloat else { return try addArgumentReduction(operation, of: value) }
    let axes = try integers("axis")
    let keepDims = try flag("keepdims", default: false)
    let (lines, axis) = try argumentLines(of: value, axes, keepDims: keepDims)
    let isEmpty = try reduced(.all, try isNaN(lines), [axis], keepDims: keepDims)
    var numbers = try replacingNaN(in: lines, by: bound)
    if !layer.writer.isJAX { numbers = try loweringNegativeZeros(in: numbers) }
    let place = try part(
      Operation(axis: axis, keepDims: keepDims, elementType: .int32), numbers)
    return try add(Where(), [isEmpty, try number(-1, like: place), place])
  }

  /// The elements with others in place of NaN, and on TensorFlow the largest numbers in place of
  /// infinities.
  fileprivate mutating func numbers(
    _ value: ValueID, else replacement: Double
  ) throws(WeighbridgeError) -> ValueID {
    let elementType = type(of: value).elementType
    guard elementType.isFloat else { return value }
    let numbers = try replacingNaN(in: value, by: replacement)
    if layer.writer.isJAX { return numbers }
    let largest = elementType.greatestFiniteNumber
    let bounded = try part(Minimum(), numbers, try number(largest, like: value))
    return try part(Maximum(), bounded, try number(-largest, like: value))
  }

  private mutating func isNaN(_ value: ValueID) throws(WeighbridgeError) -> ValueID {
    try part(Comparison(.notEqual), value, value)
  }

  /// 1 for each number and 0 for each NaN.
  private mutating func isNumber(_ value: ValueID) throws(WeighbridgeError) -> ValueID {
    try part(
      Cast(to: type(of: value).elementType), try part(Comparison(.equal), value, value))
  }

  /// The elements with a number in place of NaN.
  mutating func replacingNaN(
    in value: ValueID, by replacement: Double
  ) throws(WeighbridgeError) -> ValueID {
    try part(Where(), try isNaN(value), try number(replacement, like: value), value)
  }
}
