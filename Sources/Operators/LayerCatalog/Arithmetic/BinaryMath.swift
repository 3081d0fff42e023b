package import Bytes
package import GraphIR

/// A mathematical function of pairs of elements of two tensors.
///
/// - first, second: of the same rank and element type, with sizes that are equal or 1 along each
///   axis
/// - output: the inputs' shape after broadcasting
///
/// For integers, a division by 0 and a negative exponent are errors when the model runs.
package struct BinaryMath: ArithmeticOperator, IntegerOperator, PointwiseOperator {
  /// The functions, by their names in files.
  package enum Function: String, Hashable, Sendable, CaseIterable {
    case divide
    case divideNoNaN = "divide_no_nan"
    /// The quotient, rounded down.
    case floorDivide = "floor_divide"
    /// The remainder of ``floorDivide``.
    case floorModulo = "mod"
    /// The remainder of the quotient rounded towards 0.
    case truncatedModulo = "fmod"
    /// The first element to the power of the second.
    case power
    case squaredDifference = "squared_difference"
    /// The angle of the point (second, first), from -π to π.
    case arcTangent2 = "arctan2"
    /// √(first² + second²).
    case hypotenuse = "hypot"
    /// log(e^first + e^second).
    case logAddExp = "logaddexp"

    /// Whether it is defined for integers.
    var takesIntegers: Bool {
      [.floorDivide, .floorModulo, .truncatedModulo, .power, .squaredDifference].contains(self)
    }
  }

  /// The function.
  package let function: Function
  package var overflow: IntegerOverflow?

  package static let kind = "binary_math"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    "y = function(a, b) of the elements a of first and b of second",
    inputs: [
      .data("first", .by("function", Function.self) { $0.takesIntegers ? .number : .float }),
      .data("second", .same(as: "first")),
    ],
    outputs: [.like("first")],
    attributes: AttributeSchema(
      Self.init(_:overflow:),
      .choice("function", \.function, "The function.") {
        switch $0 {
        case .divide: "a / b"
        case .divideNoNaN: "0 if b = 0, else a / b"
        case .floorDivide: "floor(a / b)"
        case .floorModulo: "a - b * floor(a / b), exactly; has the sign of b"
        case .truncatedModulo: "a - b * truncate(a / b), exactly; has the sign of a"
        case .power: "a to the power of b"
        case .squaredDifference: "(a - b)²"
        case .arcTangent2:
          "the angle of the point (b, a) from the first axis, from -π to π"
        case .hypotenuse: "sqrt(a² + b²)"
        case .logAddExp:
          "log(exp(a) + exp(b)), computed as max(a, b) + log(1 + exp(-abs(a - b)))"
        }
      },
      .overflow(\.overflow)),
    concepts: [.broadcasting, .integers])

  /// Creates the operator.
  package init(_ function: Function, overflow: IntegerOverflow? = nil) {
    self.function = function
    self.overflow = overflow
  }
}

extension BinaryMath {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    let type = inputs[0].elementType
    guard type.isFloat || (function.takesIntegers && type != .bool) else {
      throw ShapeError("cannot compute \(function.rawValue) of \(inputs[0])")
    }
    return [try Broadcasting.outputTypeOfAny(inputs)]
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    let type = inputs[0].elementType
    guard wraps(type) else {
      return try evaluate(inputs, to: type, overflow: overflow, workers: workers) {
        apply($0[0], $0[1], type)
      }
    }
    let shape = Broadcasting.outputShape(of: inputs.map(\.shape))
    let operands = inputs.map { $0.broadcast(to: shape).wrappedIntegers }
    let numbers = try zip(operands[0], operands[1]).map { (a, b) throws(WeighbridgeError) in
      type == .uint64
        ? Int64(bitPattern: try wrapped(UInt64(bitPattern: a), UInt64(bitPattern: b)))
        : try wrapped(a, b)
    }
    return [Tensor(wrapping: type, shape: shape, numbers)]
  }

  package func pointwise(_ types: [ElementType]) -> PointwiseFunction? {
    { [type = types[0]] operands in apply(operands[0], operands[1], type) }
  }

  /// Computes the function of each pair of elements.
  private func apply(_ first: [Double], _ second: [Double], _ type: ElementType) -> [Double] {
    if function == .divide { return zip(first, second).map { $0 / $1 } }
    return zip(first, second).map { apply($0, $1, type) }
  }

  package func overflow(by rules: IntegerRules, of inputs: [TensorType]) -> IntegerOverflow? {
    inputs[0].elementType.isInteger ? rules.arithmetic : nil
  }

  /// Computes the function of integers modulo 2^64.
  private func wrapped<Number: FixedWidthInteger>(
    _ a: Number, _ b: Number
  ) throws(WeighbridgeError) -> Number {
    switch function {
    case .power:
      guard b >= 0 else { throw .mismatch("\(a) to the power of \(b) is no integer") }
      return a.wrappingPower(b)
    case .squaredDifference: return (a &- b) &* (a &- b)
    default:
      guard b != 0 else { throw .mismatch("\(a) is divided by 0") }
      let (quotient, remainder) = (
        a.dividedReportingOverflow(by: b).partialValue,
        a.remainderReportingOverflow(dividingBy: b).partialValue
      )
      let isBelow = remainder != 0 && (remainder < 0) != (b < 0)
      switch function {
      case .floorDivide: return isBelow ? quotient - 1 : quotient
      case .floorModulo: return isBelow ? remainder + b : remainder
      default: return remainder
      }
    }
  }

  /// Computes the function of elements of a type.
  package func apply(_ first: Double, _ second: Double, _ type: ElementType) -> Double {
    switch function {
    case .divide: first / second
    case .divideNoNaN: second == 0 ? 0 : first / second
    // In float32, 3 / 0.3 is 10, although the float32 number 0.3 is more than three tenths.
    case .floorDivide: type.nearest(to: first / second).rounded(.down)
    case .floorModulo: Self.floorModulo(first, second)
    case .truncatedModulo: first.truncatingRemainder(dividingBy: second)
    case .power: first.raised(to: second)
    case .squaredDifference: (first - second) * (first - second)
    case .arcTangent2: first.arcTangent(over: second)
    case .hypotenuse: Self.hypotenuse(first, second)
    case .logAddExp: Self.logAddExp(first, second)
    }
  }

  private static func floorModulo(_ first: Double, _ second: Double) -> Double {
    let remainder = first.truncatingRemainder(dividingBy: second)
    return remainder != 0 && (remainder < 0) != (second < 0) ? remainder + second : remainder
  }

  private static func hypotenuse(_ first: Double, _ second: Double) -> Double {
    // A power of two, by which no digits are lost, keeps the squares in range.
    let largest = max(first.magnitude, second.magnitude)
    let isInRange = largest > 0 && largest.isFinite
    let scale = isInRange ? Double(sign: .plus, exponent: largest.exponent, significand: 1) : 1
    let (x, y) = (first / scale, second / scale)
    return scale * (x * x + y * y).squareRoot()
  }

  private static func logAddExp(_ first: Double, _ second: Double) -> Double {
    // For two equal infinities, the difference would be NaN.
    if first == second { return first + 2.0.logarithm }
    return max(first, second) + (-(first - second).magnitude).exponential.logarithmOfOnePlus
  }

  package func permutingAxes(_ axes: [Int]) -> BinaryMath? { self }

  package var decomposition: Decomposition {
    switch function {
    case .squaredDifference:
      Composition.of { [overflow] (make) throws(WeighbridgeError) in
        let difference = try make(
          Subtract(overflow: overflow), make.inputs[0], make.inputs[1])
        return try make(Multiply(overflow: overflow), difference, difference)
      }
    case .hypotenuse:
      Composition.of(Self.scaledHypotenuse)
    case .logAddExp:
      Composition.of { (make) throws(WeighbridgeError) in
        let distance = try make(
          UnaryMath(.absolute), try make.difference(make.inputs[0], make.inputs[1]))
        let exponential = try make(Exponential(), try make(UnaryMath(.negative), distance))
        return try make.sum(
          try make(Maximum(), make.inputs[0], make.inputs[1]),
          try make(UnaryMath(.logarithmOfOnePlus), exponential))
      }
    case .divideNoNaN:
      Composition.of { (make) throws(WeighbridgeError) in
        let (x, y) = (make.inputs[0], make.inputs[1])
        let (zero, one) = (try make.number(0, like: y), try make.number(1, like: y))
        let isZero = try make(Comparison(.equal), y, zero)
        return try make.chosen(
          isZero, zero, try make.quotient(x, try make.chosen(isZero, one, y)))
      }
    case .arcTangent2: Composition.of(Self.angle)
    default: .primitive
    }
  }

  /// The hypotenuse by way of the sides' quotients by the longer one, whose squares are in range.
  @Sendable private static func scaledHypotenuse(
    _ make: inout Composition
  ) throws(WeighbridgeError) -> ValueID {
    let magnitudes = try make.inputs.map { (side) throws(WeighbridgeError) in
      try make(UnaryMath(.absolute), side)
    }
    let longer = try make(Maximum(), magnitudes[0], magnitudes[1])
    // A quotient of 0, an infinity or NaN by itself is NaN.
    let one = try make.number(1, like: longer)
    let isUsable = try make(Comparison(.equal), try make.quotient(longer, longer), one)
    let scale = try make.chosen(isUsable, longer, one)
    let squares = try magnitudes.map { (side) throws(WeighbridgeError) in
      let share = try make.quotient(side, scale)
      return try make.product(share, share)
    }
    return try make.product(scale, try make.squareRoot(try make.sum(squares[0], squares[1])))
  }

  /// The angle of the points (x, y), of which y is the first input: an arc tangent, and half a turn
  /// more where x is negative.
  @Sendable private static func angle(
    _ make: inout Composition
  ) throws(WeighbridgeError) -> ValueID {
    let (y, x) = (make.inputs[0], make.inputs[1])
    let (zero, one) = (try make.number(0, like: x), try make.number(1, like: x))
    let isVertical = try make(Comparison(.equal), x, zero)
    let principal = try make(
      UnaryMath(.arcTangent), try make.quotient(y, try make.chosen(isVertical, one, x)))
    let halfTurn = try make.chosen(
      try make(Comparison(.less), y, zero), try make.number(-.pi, like: y),
      try make.number(.pi, like: y))
    let slanted = try make.chosen(
      try make(Comparison(.less), x, zero), try make.sum(principal, halfTurn), principal)
    let vertical = try make.linear(try make(UnaryMath(.sign), y), scale: .pi / 2)
    return try make.chosen(isVertical, vertical, slanted)
  }
}

extension FixedWidthInteger {
  /// This to the power of an exponent that is not negative, modulo 2^bits.
  fileprivate func wrappingPower(_ exponent: Self) -> Self {
    var (result, factor, rest): (Self, Self, Self) = (1, self, exponent)
    while rest > 0 {
      if rest & 1 == 1 { result = result &* factor }
      factor = factor &* factor
      rest >>= 1
    }
    return result
  }
}
