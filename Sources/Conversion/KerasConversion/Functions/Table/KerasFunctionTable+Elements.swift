import Bytes
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// Functions of each element that are formulas of others.
extension KerasFunctionTable {
  static let elements: [Entry] =
    entries([
      Names(["Deg2rad"], Double.pi / 180), Names(["Rad2deg"], 180 / Double.pi),
    ]) { (call, factor: Double) throws(WeighbridgeError) in
      let value = try call.floatingOfWide(try call.tensor("x", at: 0))
      return try call.add(Rescaling(scale: [factor], offset: [0]), [value])
    }
    + entries([
      Names(["Fmax"], Comparison.Relation.greater), Names(["Fmin"], Comparison.Relation.less),
    ]) { (call, relation: Comparison.Relation) throws(WeighbridgeError) in
      try call.addExtremumWithoutNaN(isMaximum: relation == .greater)
    }
    + entries([
      Names(["Isposinf"], Double.infinity), Names(["Isneginf"], -Double.infinity),
    ]) { (call, number: Double) throws(WeighbridgeError) in
      let value = try call.floating(try call.tensor("x", at: 0))
      return try call.add(Comparison(.equal), [value, try call.number(number, like: value)])
    } + zeroProducts + quotients + others

  /// Products and quotients that are 0 where one factor is.
  private static let zeroProducts: [Entry] = [
    Entry(tf: ["math.xlogy"]) { (call) throws(WeighbridgeError) in
      let values = try call.unified(try call.pair(), sharesRank: true)
      let logarithm = try call.part(UnaryMath(.logarithm), values[1])
      return try call.addUnlessZero(values[0], try call.product(values[0], logarithm))
    },
    Entry(tf: ["math.xlog1py"]) { (call) throws(WeighbridgeError) in
      let values = try call.unified(try call.pair(), sharesRank: true)
      let logarithm = try call.part(UnaryMath(.logarithmOfOnePlus), values[1])
      return try call.addUnlessZero(values[0], try call.product(values[0], logarithm))
    },
    Entry(tf: ["math.xdivy"]) { (call) throws(WeighbridgeError) in
      let values = try call.unified(try call.pair(), sharesRank: true)
      return try call.addUnlessZero(values[0], try call.quotient(values[0], values[1]))
    },
    Entry(tf: ["math.multiply_no_nan"]) { (call) throws(WeighbridgeError) in
      let values = try call.unified(try call.pair(), sharesRank: true)
      return try call.addUnlessZero(values[1], try call.product(values[0], values[1]))
    },
    Entry(tf: ["math.reciprocal_no_nan"]) { (call) throws(WeighbridgeError) in
      let value = try call.tensor("x", at: 0)
      return try call.add(BinaryMath(.divideNoNaN), [try call.number(1, like: value), value])
    },
    Entry(tf: ["math.scalar_mul", "scalar_mul"]) { (call) throws(WeighbridgeError) in
      // A plain number has the type of the tensor.
      let terms = [try call.term("x", at: 1), try call.term("scalar", at: 0)]
      return try call.add(Multiply(), try call.unified(terms, sharesRank: true))
    },
    Entry(tf: ["math.accumulate_n"]) { (call) throws(WeighbridgeError) in
      let values = try call.tensors("inputs", at: 0)
      return values.count == 1
        ? try call.add(Identity(), values) : try call.add(Add(), values)
    },
    Entry(tf: ["math.polyval"]) { (call) throws(WeighbridgeError) in
      guard case .list(let parts)? = call.take("coeffs", at: 0), let first = parts.first else {
        throw .unsupported("coeffs is no list of tensors")
      }
      let x = try call.tensor("x", at: 1)
      let elementType = call.type(of: x).elementType
      var result = try call.value(try call.term(first), as: elementType)
      for part in parts.dropFirst() {
        let coefficient = try call.value(try call.term(part), as: elementType)
        result = try call.sum(try call.product(result, x), coefficient)
      }
      return try call.result(result)
    },
  ]

  private static let quotients: [Entry] = [
    Entry(tf: ["truncatediv"]) { (call) throws(WeighbridgeError) in
      try call.addTruncatedQuotient(of: try call.unified(try call.pair(), sharesRank: true))
    },
    // It divides floating-point numbers in every version, and cuts quotients of integers.
    Entry(tf: ["raw_ops.Div"]) { (call) throws(WeighbridgeError) in
      let values = try call.unified(try call.pair(), sharesRank: true)
      return call.type(of: values[0]).elementType.isFloat
        ? try call.add(BinaryMath(.divide), values) : try call.addTruncatedQuotient(of: values)
    },
    Entry(["Ldexp"]) { (call) throws(WeighbridgeError) in
      let terms = try call.pair()
      let values = try terms.map { (term) throws(WeighbridgeError) in
        try call.floating(try call.unified([term], sharesRank: false)[0])
      }
      let power = try call.part(UnaryMath(.exponential2), values[1])
      let product = try call.product(values[0], power)
      // Zero times a power that overflows is 0.
      return try call.result(try call.chosen(values[0], .equal, 0, values[0], product))
    },
  ]

  private static let others: [Entry] = [
    Entry(["Clip"], tf: ["clip_by_value"]) { (call) throws(WeighbridgeError) in
      try call.addClip()
    },
    Entry(["Cbrt"]) { (call) throws(WeighbridgeError) in
      let value = try call.floatingOfWide(try call.tensor("x", at: 0))
      let magnitude = try call.part(UnaryMath(.absolute), value)
      let root = try call.part(
        BinaryMath(.power), magnitude, try call.number(1.0 / 3, like: value))
      return try call.add(Multiply(), [try call.part(UnaryMath(.sign), value), root])
    },
    Entry(["Sinc"]) { (call) throws(WeighbridgeError) in
      let value = try call.floating(try call.tensor("x", at: 0))
      let angle = try call.scaled(value, by: Double.pi)
      let ratio = try call.quotient(try call.part(UnaryMath(.sine), angle), angle)
      let isZero = try call.part(Comparison(.equal), value, try call.number(0, like: value))
      return try call.add(Where(), [isZero, try call.number(1, like: value), ratio])
    },
    Entry(["Heaviside"]) { (call) throws(WeighbridgeError) in
      var values = try call.unified(try call.pair(), sharesRank: true)
      for index in values.indices { values[index] = try call.floatingOfWide(values[index]) }
      let (zero, one) = (try call.number(0, like: values[0]), try call.number(1, like: values[0]))
      let upper = try call.chosen(values[0], .greater, 0, one, values[1])
      let isNegative = try call.part(Comparison(.less), values[0], zero)
      return try call.add(Where(), [isNegative, zero, upper])
    },
    Entry(["Logaddexp2"]) { (call) throws(WeighbridgeError) in
      let values = try call.unified(try call.pair(), sharesRank: true, areFloating: true)
      let distance = try call.part(
        UnaryMath(.absolute), try call.difference(values[0], values[1]))
      let type = call.type(of: distance).elementType
      let logarithmOf2 = KerasLayer.constant(0.6931471805599453, in: type)
      let power = try call.part(Exponential(), try call.scaled(distance, by: -logarithmOf2))
      let logarithm = try call.scaled(
        try call.part(UnaryMath(.logarithmOfOnePlus), power), by: 1 / logarithmOf2)
      let larger = try call.part(Maximum(), values[0], values[1])
      // Two equal infinities have no difference.
      let isNaN = try call.part(Comparison(.notEqual), distance, distance)
      return try call.add(
        Where(),
        [isNaN, try call.sum(values[0], values[1]), try call.sum(larger, logarithm)])
    },
    Entry(["NanToNum"]) { (call) throws(WeighbridgeError) in try call.addFiniteNumbers() },
    Entry(["Isclose"]) { (call) throws(WeighbridgeError) in
      try call.result(try call.closeness(excludesInfinity: call.layer.writer.isJAX))
    },
    Entry(["AllClose"]) { (call) throws(WeighbridgeError) in
      let areClose = try call.closeness(excludesInfinity: true)
      let axes = Array(0..<call.type(of: areClose).rank)
      return try call.add(Reduce(.all, axes: axes, keepDims: false), [areClose])
    },
    Entry(["SaturateCast"], tf: ["saturate_cast", "dtypes.saturate_cast"]) {
      (call) throws(WeighbridgeError) in try call.addSaturatedCast()
    },
    Entry(["Real", "Conjugate", "Conj"], tf: ["math.real", "math.conj"]) {
      (call) throws(WeighbridgeError) in
      try call.add(Identity(), [try call.tensor("x", "input", at: 0)])
    },
    Entry(["ViewAsReal"]) { (call) throws(WeighbridgeError) in
      let value = try call.tensor("x", at: 0)
      let zeros = try call.part(FullLike(value: 0), value)
      return [
        try call.stack(
          [.value(value), .value(zeros)], axis: call.type(of: value).rank, role: "")
      ]
    },
    Entry(["View"]) { (call) throws(WeighbridgeError) in
      let (value, type) = try call.typedTensor("x", at: 0)
      let target = try call.elementType("dtype") ?? type.elementType
      if target == type.elementType { return try call.result(value) }
      guard target.byteCount == type.elementType.byteCount, target != .bool,
        type.elementType != .bool
      else {
        throw .unsupported(
          "reads the bits of \(type) as \(target.rawValue), expected numbers of as many bytes")
      }
      return try call.add(BitCast(to: target), [value])
    },
    Entry(["Imag"], tf: ["math.imag"]) { (call) throws(WeighbridgeError) in
      try call.add(FullLike(value: 0), [try call.tensor("x", "input", at: 0)])
    },
    Entry(["Isreal"]) { (call) throws(WeighbridgeError) in
      let ones = try call.part(FullLike(value: 1), try call.tensor("x", at: 0))
      return try call.result(ones, as: .bool)
    },
    // TensorFlow compares with 0, so that NaN has no angle, and JAX has one for -0.
    Entry(["Angle"], tf: ["math.angle"]) { (call) throws(WeighbridgeError) in
      let value = try call.floating(try call.tensor("x", "input", at: 0))
      let zero = try call.number(0, like: value)
      if call.layer.writer.isJAX { return try call.add(BinaryMath(.arcTangent2), [zero, value]) }
      return try call.result(
        try call.chosen(value, .less, 0, try call.number(.pi, like: value), zero))
    },
  ]
}

extension KerasFunction {
  /// Adds a value that is 0 wherever another is.
  fileprivate mutating func addUnlessZero(
    _ factor: ValueID, _ value: ValueID
  ) throws(WeighbridgeError) -> [ValueID] {
    let isZero = try part(Comparison(.equal), factor, try number(0, like: factor))
    return try add(Where(), [isZero, try number(0, like: value), value])
  }

  /// Adds the minimum with the upper bound, and then the maximum with the lower one. Keras 3 clips
  /// booleans as int32.
  fileprivate mutating func addClip() throws(WeighbridgeError) -> [ValueID] {
    var value = try tensor("x", "t", at: 0)
    if isBoolean(value), case .operation = name { value = try part(Cast(to: .int32), value) }
    let elementType = type(of: value).elementType
    let lower = try optionalTerm("x_min", "clip_value_min", at: 1)
    let upper = try optionalTerm("x_max", "clip_value_max", at: 2)
    if elementType.isFloat, let lower, let upper, let minimum = plainNumber(lower),
      let maximum = plainNumber(upper), minimum <= maximum
    {
      return try add(Clip(minimum: minimum, maximum: maximum), [value])
    }
    if let lower, let upper, let minimum = plainNumber(lower), let maximum = plainNumber(upper),
      minimum > maximum
    {
      throw .unsupported(
        "clips to \(minimum)...\(maximum), where the lower bound is above the upper one")
    }
    guard let lower else {
      guard let upper else { throw missing("x_min") }
      let (first, bound) = try sameRank(value, try self.value(upper, as: elementType))
      return try add(Minimum(), [first, bound])
    }
    if let upper {
      let (first, bound) = try sameRank(value, try self.value(upper, as: elementType))
      value = try part(Minimum(), first, bound)
    }
    let (second, other) = try sameRank(value, try self.value(lower, as: elementType))
    return try add(Maximum(), [second, other])
  }

  /// The number of a constant without axes; `nil` for NaN and other terms.
  func plainNumber(_ term: Term) -> Double? {
    guard case .constant(let constant) = term, constant.shape.isEmpty, !constant.numbers[0].isNaN
    else { return nil }
    return constant.numbers[0]
  }

  /// Adds the larger or smaller of two elements, or the one that is a number.
  fileprivate mutating func addExtremumWithoutNaN(
    isMaximum: Bool
  ) throws(WeighbridgeError) -> [ValueID] {
    let values = try unified(try pair(), sharesRank: true)
    guard type(of: values[0]).elementType.isFloat else {
      return isMaximum ? try add(Maximum(), values) : try add(Minimum(), values)
    }
    let extremum =
      isMaximum
      ? try part(Maximum(), values[0], values[1]) : try part(Minimum(), values[0], values[1])
    let isNumber = [
      try part(Comparison(.equal), values[0], values[0]),
      try part(Comparison(.equal), values[1], values[1]),
    ]
    let known = try part(Where(), isNumber[1], extremum, values[0])
    return try add(Where(), [isNumber[0], known, values[1]])
  }

  fileprivate mutating func addTruncatedQuotient(
    of values: [ValueID]
  ) throws(WeighbridgeError) -> [ValueID] {
    let elementType = type(of: values[0]).elementType
    if elementType.isFloat {
      // TensorFlow 2.3, whose Keras is 2.4, divides floating-point numbers, and 2.15 truncates.
      if layer.version < KerasVersion(2, 5) { return try add(BinaryMath(.divide), values) }
      guard layer.version >= KerasVersion(2, 15) else {
        throw .unsupported(
          "truncates a quotient of \(elementType.rawValue), which TensorFlow 2.15 does and "
            + "2.3 does "
            + "not; what version \(layer.version) does was never compared")
      }
      return try add(UnaryMath(.truncate), [try part(BinaryMath(.divide), values[0], values[1])])
    }
    guard elementType.isSignedInteger else { return try add(BinaryMath(.floorDivide), values) }
    // Without its remainder, the dividend is a multiple of the divisor.
    let remainder = try part(BinaryMath(.truncatedModulo), values[0], values[1])
    return try add(
      BinaryMath(.floorDivide), [try difference(values[0], remainder), values[1]])
  }

  fileprivate mutating func addFiniteNumbers() throws(WeighbridgeError) -> [ValueID] {
    let value = try tensor("x", at: 0)
    let elementType = type(of: value).elementType
    let (nan, largest) = (try real("nan", default: 0), elementType.greatestFiniteNumber)
    let upper = try real("posinf", default: largest)
    let lower = try real("neginf", default: -largest)
    guard elementType.isFloat else { return try add(Identity(), [value]) }
    let isNaN = try part(Comparison(.notEqual), value, value)
    var result = try part(Where(), isNaN, try number(nan, like: value), value)
    for (infinity, replacement) in [(Double.infinity, upper), (-.infinity, lower)] {
      result = try chosen(value, .equal, infinity, try number(replacement, like: value), result)
    }
    return try self.result(result)
  }

  /// A test for nearly equal numbers. On JAX, integers are compared as float32.
  ///
  /// - Parameter excludesInfinity: Whether an infinity is near itself only.
  fileprivate mutating func closeness(
    excludesInfinity: Bool
  ) throws(WeighbridgeError) -> ValueID {
    let values = try unified(try pair(), sharesRank: true, areFloating: layer.writer.isJAX)
    let (relative, absolute) = (
      try real("rtol", at: 2, default: 1e-5), try real("atol", at: 3, default: 1e-8)
    )
    let equatesNaN = try flag("equal_nan", default: false)
    guard type(of: values[0]).elementType.isFloat else {
      return try part(Comparison(.equal), values[0], values[1])
    }
    let distance = try part(UnaryMath(.absolute), try difference(values[0], values[1]))
    let magnitude = try part(UnaryMath(.absolute), values[1])
    let limit = try scaled(magnitude, by: relative, plus: absolute)
    var isClose = try part(Comparison(.lessOrEqual), distance, limit)
    if excludesInfinity {
      let isFinite = try part(
        Comparison(.less), magnitude, try number(.infinity, like: magnitude))
      isClose = try part(
        LogicalOr(), try part(Comparison(.equal), values[0], values[1]),
        try part(LogicalAnd(), isFinite, isClose))
    }
    guard equatesNaN else { return isClose }
    let areNaN = try part(
      LogicalAnd(), try part(Comparison(.notEqual), values[0], values[0]),
      try part(Comparison(.notEqual), values[1], values[1]))
    return try part(LogicalOr(), isClose, areNaN)
  }

  /// Adds a cast that clamps to the range of the type. Keras 3 leaves no infinity, whatever the types are.
  fileprivate mutating func addSaturatedCast() throws(WeighbridgeError) -> [ValueID] {
    var value = try tensor("x", "value", at: 0)
    guard let target = try elementType("dtype") else { throw missing("dtype") }
    let own = type(of: value).elementType
    let isSmall = !target.isFloat && target != .bool && own != .bool && target.byteCount <= 2
    guard isSmall || isOperation else {
      throw .unsupported(
        "dtype=\(target.rawValue) of \(type(of: value)); only numbers can become integers of 8 "
          + "or 16 bits")
    }
    let (range, known) = (target.finiteRange, own.finiteRange)
    for (bound, limit, isUpper) in [
      (range.upperBound, known.upperBound, true), (range.lowerBound, known.lowerBound, false),
    ] where own != .bool {
      let isWithin = isUpper ? limit <= bound : limit >= bound
      if isWithin, !own.isFloat { continue }
      let isExact = own.isFloat ? own.nearest(to: bound) == bound : bound.magnitude <= 0x1p53
      guard isWithin || isExact else {
        throw .unsupported(
          "dtype=\(target.rawValue) of \(type(of: value)), which does not hold the largest "
            + "\(target.rawValue); what larger numbers become depends on the processor")
      }
      let number = try number(isWithin ? limit : bound, like: value)
      value = isUpper ? try part(Minimum(), value, number) : try part(Maximum(), value, number)
    }
    return try add(Cast(to: target), [value])
  }
}

extension ElementType {
  /// The largest finite number of a floating-point type.
  var greatestFiniteNumber: Double {
    switch self {
    case .float16: 65504
    case .bfloat16: Double(Float(bitPattern: 0x7F7F_0000))
    case .float32: Double(Float.greatestFiniteMagnitude)
    default: .greatestFiniteMagnitude
    }
  }

  /// The finite numbers of a type, rounded to float64.
  fileprivate var finiteRange: ClosedRange<Double> {
    if isFloat { return -greatestFiniteNumber...greatestFiniteNumber }
    if self == .bool { return 0...1 }
    let count = Double(sign: .plus, exponent: 8 * byteCount, significand: 1)
    return isSignedInteger ? -count / 2...count / 2 - 1 : 0...count - 1
  }
}
