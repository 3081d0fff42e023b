package import Bytes
package import GraphIR

/// Conversion to another element type.
///
/// - input: any shape and element type
/// - output: the same shape, in `element_type`: rounded to the nearest floating-point number (ties
///   to even); truncated to an integer; or a boolean, true for everything but 0
package struct Cast: ExactOperator, IntegerOperator, PointwiseOperator {
  /// The element type of the output.
  package let elementType: ElementType
  /// What stands for numbers that do not fit in an integer type; if `nil`, as for `saturate`.
  package var overflow: IntegerOverflow?

  package static let kind = "cast"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    """
    y = x in element_type:
    floating-point: the nearest number of the type, ties to even
    integer: x truncated towards 0, t. If overflow is not wrap, t is clamped to the range of the
      type, and NaN becomes 0. If it is, an integer t is taken modulo 2^bits, and a floating-point
      number first as a number of k bits: k = 32 for types of 8 and 16 bits and int32, else 64.
      If t does not fit in these (k bits signed; for uint64, also unsigned), or x is NaN,
      it is replaced by -2^(k - 1).
    bool: false if x = 0, else true
    """,
    inputs: [.data("input", .any)],
    outputs: [.ofElementType],
    attributes: AttributeSchema(
      Self.init(to:overflow:),
      .elementType(\.elementType),
      .overflow(\.overflow, otherwise: "as for `saturate`")))

  /// Creates the operator.
  package init(to elementType: ElementType, overflow: IntegerOverflow? = nil) {
    self.elementType = elementType
    self.overflow = overflow
  }
}

extension Cast {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    [TensorType(elementType, inputs[0].shape)]
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    let input = inputs[0]
    guard input.elementType != elementType else { return inputs }
    guard wraps(elementType) else {
      let isWide = input.elementType.isInteger && input.elementType.byteCount == 8
      return [isWide ? converted(input) : Tensor(elementType, shape: input.shape, input.doubles)]
    }
    let numbers = input.elementType.isFloat ? input.doubles.map(wrapped) : input.wrappedIntegers
    return [Tensor(wrapping: elementType, shape: input.shape, numbers)]
  }

  /// Converts integers of 64 bits, which `Double` would round first.
  private func converted(_ input: Tensor) -> Tensor {
    let (shape, isSigned) = (input.shape, input.elementType.isSignedInteger)
    switch elementType {
    case .int64, .uint64:
      // A negative number as the other type is beyond its range.
      let numbers = input.wrappedIntegers.map { $0 < 0 ? isSigned ? 0 : .max : $0 }
      return Tensor(wrapping: elementType, shape: shape, numbers)
    case .float16, .bfloat16, .float32:
      let numbers = input.wrappedIntegers.map {
        isSigned ? Float($0) : Float(UInt64(bitPattern: $0))
      }
      return Tensor(elementType, shape: shape, floats: numbers)
    default: return Tensor(elementType, shape: shape, input.doubles)
    }
  }

  package func pointwise(_ types: [ElementType]) -> PointwiseFunction? {
    switch elementType {
    case .bool: { operands in operands[0].map { $0 == 0 ? 0 : 1 } }
    case .float64: { operands in operands[0] }
    default: nil
    }
  }

  /// A number truncated to 32 or 64 bits, as processors of the x86-64 family do it.
  private func wrapped(_ number: Double) -> Int64 {
    let whole = number.rounded(.towardZero)
    switch elementType {
    case .uint32, .int64: return Int64(exactly: whole) ?? .min
    case .uint64:
      return Int64(exactly: whole) ?? UInt64(exactly: whole).map { Int64(bitPattern: $0) } ?? .min
    default: return Int64(Int32(exactly: whole) ?? .min)
    }
  }

  package func overflow(by rules: IntegerRules, of inputs: [TensorType]) -> IntegerOverflow? {
    guard elementType.isInteger else { return nil }
    return inputs[0].elementType.isFloat ? rules.conversion : .wrap
  }

  /// A conversion of floating-point numbers that saturates: one of the numbers that fit, and the
  /// bounds for the others.
  package var decomposition: Decomposition {
    guard overflow == .saturate, elementType.isInteger else { return .primitive }
    return Composition.of { [elementType] (make) throws(WeighbridgeError) in
      let x = make.inputs[0]
      guard make.type(x).elementType.isFloat else {
        throw .unsupported("clamps integers, and only floating-point numbers can be clamped here")
      }
      let (minimum, maximum) = elementType.integerBounds
      let converted = try make(Cast(to: elementType, overflow: .wrap), x)
      let zero = try make.number(0, like: converted)
      let isNumber = try make(Comparison(.equal), x, x)
      var result = try make.chosen(isNumber, converted, zero)
      let isLarge = try make(Comparison(.greaterOrEqual), x, try make.number(maximum + 1, like: x))
      result = try make.chosen(isLarge, try make.number(maximum, like: converted), result)
      let isSmall = try make(Comparison(.lessOrEqual), x, try make.number(minimum, like: x))
      return try make.chosen(isSmall, try make.number(minimum, like: converted), result)
    }
  }

  package func permutingAxes(_ axes: [Int]) -> Cast? { self }
}
