package import Bytes
package import GraphIR

/// A mathematical function of each element.
///
/// Any shape; the output has the same shape. The output is NaN outside of a function's domain.
///
/// `absolute`, `negative`, `sign` and `square` are also defined for integers.
package struct UnaryMath: ArithmeticOperator, IntegerOperator, PointwiseOperator {
  /// The functions, by their names in files.
  package enum Function: String, Hashable, Sendable, CaseIterable {
    case absolute, negative, sign, square, reciprocal
    case squareRoot = "sqrt"
    /// 1 / √x.
    case reciprocalSquareRoot = "rsqrt"
    /// 2 to the power of x.
    case exponential2 = "exp2"
    /// e to the power of x, minus 1.
    case exponentialMinusOne = "expm1"
    case logarithm = "log"
    /// The logarithm of 1 + x.
    case logarithmOfOnePlus = "log1p"
    case logarithm2 = "log2"
    case logarithm10 = "log10"
    case sine = "sin"
    case cosine = "cos"
    case tangent = "tan"
    case arcSine = "arcsin"
    case arcCosine = "arccos"
    case arcTangent = "arctan"
    case hyperbolicSine = "sinh"
    case hyperbolicCosine = "cosh"
    case inverseHyperbolicSine = "arcsinh"
    case inverseHyperbolicCosine = "arccosh"
    case inverseHyperbolicTangent = "arctanh"
    case floor
    case ceiling = "ceil"
    case round
    case truncate = "trunc"
    case errorFunction = "erf"
    case complementaryErrorFunction = "erfc"

    /// Whether it is defined for integers.
    package var takesIntegers: Bool { [.absolute, .negative, .sign, .square].contains(self) }
  }

  /// The function.
  package let function: Function
  package var overflow: IntegerOverflow?

  package static let kind = "unary_math"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    "y = function(x)",
    inputs: [
      .data("input", .by("function", Function.self) { $0.takesIntegers ? .number : .float })
    ],
    outputs: [.like("input")],
    attributes: AttributeSchema(
      Self.init(_:overflow:),
      .choice("function", \.function, "The function.") {
        switch $0 {
        case .absolute: "abs(x)"
        case .negative: "-x"
        case .sign: "-1, 0 or 1, as x is below, at or above 0"
        case .square: "x²"
        case .reciprocal: "1 / x"
        case .squareRoot: "sqrt(x)"
        case .reciprocalSquareRoot: "1 / sqrt(x)"
        case .exponential2: "2 to the power of x"
        case .exponentialMinusOne: "exp(x) - 1"
        case .logarithm: "the natural logarithm of x"
        case .logarithmOfOnePlus: "log(1 + x)"
        case .logarithm2: "the logarithm of x to the base 2"
        case .logarithm10: "the logarithm of x to the base 10"
        case .sine: "sin(x), x in radians"
        case .cosine: "cos(x), x in radians"
        case .tangent: "tan(x), x in radians"
        case .arcSine: "the inverse of the sine"
        case .arcCosine: "the inverse of the cosine"
        case .arcTangent: "the inverse of the tangent"
        case .hyperbolicSine: "sinh(x)"
        case .hyperbolicCosine: "cosh(x)"
        case .inverseHyperbolicSine: "the inverse of sinh"
        case .inverseHyperbolicCosine: "the inverse of cosh"
        case .inverseHyperbolicTangent: "the inverse of tanh"
        case .floor: "the largest integer not above x"
        case .ceiling: "the smallest integer not below x"
        case .round: "the nearest integer, ties to even"
        case .truncate: "x truncated towards 0"
        case .errorFunction:
          "erf(x) = 2 / sqrt(π) * the integral of exp(-t²) from 0 to x"
        case .complementaryErrorFunction: "erfc(x) = 1 - erf(x)"
        }
      },
      .overflow(\.overflow)),
    concepts: [.integers])

  /// Creates the operator.
  package init(_ function: Function, overflow: IntegerOverflow? = nil) {
    self.function = function
    self.overflow = overflow
  }
}

extension UnaryMath {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    let type = inputs[0].elementType
    guard type.isFloat || (function.takesIntegers && type != .bool) else {
      throw ShapeError("cannot compute \(function.rawValue) of \(inputs[0])")
    }
    return inputs
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    let (type, shape) = (inputs[0].elementType, inputs[0].shape)
    // A sign always fits, so that nothing states what an overflow gives.
    guard wraps(type) || function == .sign && type.isInteger else {
      return try evaluate(inputs, to: type, overflow: overflow, workers: workers) {
        $0[0].map(apply)
      }
    }
    return [
      Tensor(wrapping: type, shape: shape, inputs[0].wrappedIntegers.map { wrapped($0, type) })
    ]
  }

  package func pointwise(_ types: [ElementType]) -> PointwiseFunction? {
    { operands in operands[0].map(apply) }
  }

  package func overflow(by rules: IntegerRules, of inputs: [TensorType]) -> IntegerOverflow? {
    function != .sign && inputs[0].elementType.isInteger ? rules.arithmetic : nil
  }

  /// Computes the function of an integer of a type modulo 2^64.
  private func wrapped(_ x: Int64, _ type: ElementType) -> Int64 {
    switch function {
    case .absolute: x < 0 && type.isSignedInteger ? 0 &- x : x
    case .negative: 0 &- x
    case .square: x &* x
    default: type == .uint64 && x < 0 ? 1 : x.signum()
    }
  }

  package func permutingAxes(_ axes: [Int]) -> UnaryMath? { self }

  package var decomposition: Decomposition {
    switch function {
    case .absolute, .negative, .sign, .squareRoot, .logarithm, .sine, .cosine, .arcTangent, .floor,
      .ceiling, .round:
      .primitive
    default: Composition.of { [self] (make) throws(WeighbridgeError) in try composed(&make) }
    }
  }

  private func composed(
    _ make: inout Composition
  ) throws(WeighbridgeError) -> ValueID {
    let x = make.inputs[0]
    switch function {
    case .square: return try make(Multiply(overflow: overflow), x, x)
    case .reciprocal: return try make.quotient(try make.number(1, like: x), x)
    case .reciprocalSquareRoot: return try make(UnaryMath(.reciprocal), try make.squareRoot(x))
    case .tangent:
      return try make.quotient(try make(UnaryMath(.sine), x), try make(UnaryMath(.cosine), x))
    case .exponential2:
      return try make(BinaryMath(.power), try make.number(2, like: x), x)
    case .logarithm2:
      return try make.linear(try make(UnaryMath(.logarithm), x), scale: 1.4426950408889634)
    case .logarithm10:
      return try make.linear(try make(UnaryMath(.logarithm), x), scale: 0.4342944819032518)
    case .truncate:
      let magnitude = try make(UnaryMath(.floor), try make(UnaryMath(.absolute), x))
      return try make.product(try make(UnaryMath(.sign), x), magnitude)
    case .exponentialMinusOne:
      // tanh(x / 2) * (e^x + 1), which keeps its digits near 0.
      let half = try make(Tanh(), try make.linear(x, scale: 0.5))
      return try make.product(half, try make.offset(try make(Exponential(), x), by: 1))
    case .logarithmOfOnePlus:
      return try make(UnaryMath(.logarithm), try make.offset(x, by: 1))
    case .complementaryErrorFunction:
      return try make.linear(try make(UnaryMath(.errorFunction), x), scale: -1, offset: 1)
    case .hyperbolicSine, .hyperbolicCosine:
      let exponential = try make(Exponential(), x)
      let reciprocal = try make(Exponential(), try make(UnaryMath(.negative), x))
      let sum =
        function == .hyperbolicCosine
        ? try make.sum(exponential, reciprocal) : try make.difference(exponential, reciprocal)
      return try make.linear(sum, scale: 0.5)
    default: return try composedInverse(&make)
    }
  }
}

extension UnaryMath {
  /// Computes the function.
  package func apply(_ x: Double) -> Double {
    switch function {
    case .absolute: x.magnitude
    case .negative: -x
    case .sign: x > 0 ? 1 : x < 0 ? -1 : x
    case .square: x * x
    case .reciprocal: 1 / x
    case .squareRoot: x.squareRoot()
    case .reciprocalSquareRoot: 1 / x.squareRoot()
    case .exponential2: x.exponential2
    case .exponentialMinusOne: x.exponentialMinusOne
    case .logarithm: x.logarithm
    case .logarithmOfOnePlus: x.logarithmOfOnePlus
    case .logarithm2: x.logarithm2
    case .logarithm10: x.logarithm10
    case .floor: x.rounded(.down)
    case .ceiling: x.rounded(.up)
    case .round: x.rounded(.toNearestOrEven)
    case .truncate: x.rounded(.towardZero)
    case .errorFunction: x.errorFunction
    case .complementaryErrorFunction: x.complementaryErrorFunction
    default: trigonometric(x)
    }
  }

  /// The trigonometric and hyperbolic functions and their inverses.
  private func trigonometric(_ x: Double) -> Double {
    switch function {
    case .sine: x.sine
    case .cosine: x.cosine
    case .tangent: x.tangent
    case .arcSine: x.arcSine
    case .arcCosine: x.arcCosine
    case .arcTangent: x.arcTangent
    case .hyperbolicSine: x.hyperbolicSine
    case .hyperbolicCosine: x.hyperbolicCosine
    case .inverseHyperbolicSine: x.inverseHyperbolicSine
    case .inverseHyperbolicCosine: x.inverseHyperbolicCosine
    case .inverseHyperbolicTangent: x.inverseHyperbolicTangent
    default: .nan
    }
  }
}

extension Tensor {
  /// Creates a tensor of numbers. They are rounded to the nearest value of a floating-point type, and
  /// must be exact for an integer type.
  ///
  /// - Throws: ``WeighbridgeError/Code/mismatch`` for a number that an integer type cannot
  ///   represent.
  init(
    checking elementType: ElementType, shape: [Int], _ numbers: [Double]
  ) throws(WeighbridgeError) {
    self.init(elementType, shape: shape, numbers)
    guard !elementType.isFloat, let index = zip(doubles, numbers).firstDifference else { return }
    throw .mismatch(
      "element \(index) is \(numbers[index]), which \(elementType.rawValue) cannot represent")
  }
}

extension Zip2Sequence<[Double], [Double]> {
  /// The index of the first pair of different numbers.
  fileprivate var firstDifference: Int? { enumerated().first { $1.0 != $1.1 }?.offset }
}
