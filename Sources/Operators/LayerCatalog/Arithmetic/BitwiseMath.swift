package import Bytes
package import GraphIR

/// A function of the bits of pairs of integers, signed ones in two's complement.
///
/// - first, second: integers of the same rank and type, with sizes that are equal or 1 along each axis
/// - output: the inputs' shape after broadcasting
///
/// In terms of other operators, a number is the sum of its bits, 0 or 1, times powers of two, and a
/// shift multiplies by a power of two or divides by it, rounding down.
package struct BitwiseMath: FormulaOperator, ExactOperator {
  /// The functions, by their names in files.
  package enum Function: String, Hashable, Sendable, CaseIterable {
    case and = "bitwise_and"
    case or = "bitwise_or"
    case xor = "bitwise_xor"
    case leftShift = "left_shift"
    case rightShift = "right_shift"
  }

  /// The function.
  package let function: Function

  package static let kind = "bitwise_math"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    "y = function(a, b) of the elements a of first and b of second, bit by bit",
    inputs: [.data("first", .integer), .data("second", .same(as: "first"))],
    outputs: [.like("first")],
    attributes: AttributeSchema(
      Self.init(_:),
      .choice("function", \.function, "The function.") {
        switch $0 {
        case .and: "the bits that are 1 in both"
        case .or: "the bits that are 1 in either or both"
        case .xor: "the bits that are 1 in one of them only"
        case .leftShift: "a times 2 to the power of b, modulo 2^bits; 0 if b is negative"
        case .rightShift:
          "a divided by 2 to the power of b, rounded down; a negative b counts as the number of bits"
        }
      }),
    concepts: [.broadcasting])

  /// Creates the operator.
  package init(_ function: Function) { self.function = function }
}

extension BitwiseMath {
  package func permutingAxes(_ axes: [Int]) -> BitwiseMath? { self }

  package func formula(_ make: inout Composition) throws(WeighbridgeError) -> ValueID {
    let (a, b) = (make.inputs[0], make.inputs[1])
    switch function {
    case .leftShift:
      let width = 8 * make.type(b).elementType.byteCount
      let count = try Self.shift(&make, by: b)
      // No power is larger than the type, so that targets without integers have it, too.
      let isWithin = try make(
        Comparison(.less), count, try make.number(Double(width), like: b))
      let (zero, two) = (try make.number(0, like: a), try make.number(2, like: b))
      let power = try make(
        BinaryMath(.power, overflow: .wrap), two, try make.chosen(isWithin, count, zero))
      let product = try make(Multiply(overflow: .wrap), a, power)
      return try make.chosen(isWithin, product, zero)
    case .rightShift: return try Self.shiftedRight(&make, a, by: b)
    case .and, .or, .xor:
      let rank = make.type(a).rank
      let bits = (try Self.bits(&make, of: a), try Self.bits(&make, of: b))
      let type = make.type(a).elementType
      let width = 8 * type.byteCount
      let weights = (0..<width).map { bit in
        let power = Double(sign: .plus, exponent: bit, significand: 1)
        return type.isSignedInteger && bit == width - 1 ? -power : power
      }
      let shape = [Int](repeating: 1, count: rank) + [width]
      let weighted = try make(
        Multiply(overflow: .wrap), try combined(&make, bits.0, bits.1),
        try make.constant(Tensor(type, shape: shape, weights)))
      return try make(Reduce(.sum, axes: [rank], keepDims: false, overflow: .wrap), weighted)
    }
  }

  /// The function of bits that are 0 or 1.
  private func combined(
    _ make: inout Composition, _ a: ValueID, _ b: ValueID
  ) throws(WeighbridgeError) -> ValueID {
    switch function {
    case .and: try make(Minimum(), a, b)
    case .or: try make(Maximum(), a, b)
    default:
      try make(
        Subtract(overflow: .wrap), try make(Maximum(), a, b), try make(Minimum(), a, b))
    }
  }

  /// The bits of integers along a last axis, from the lowest.
  private static func bits(
    _ make: inout Composition, of x: ValueID
  ) throws(WeighbridgeError) -> ValueID {
    let type = make.type(x)
    let width = 8 * type.elementType.byteCount
    let shape = [Int](repeating: 1, count: type.rank) + [width]
    // The highest power is no signed number, so that its bit is reached in two steps.
    let divisors = [
      (0..<width).map { Double(sign: .plus, exponent: min($0, width - 2), significand: 1) },
      (0..<width).map { $0 == width - 1 ? 2.0 : 1 },
    ]
    var quotients = try make(ExpandDims(axes: [type.rank]), x)
    for divisors in divisors {
      quotients = try make(
        BinaryMath(.floorDivide, overflow: .wrap), quotients,
        try make.constant(Tensor(type.elementType, shape: shape, divisors)))
    }
    return try make(
      BinaryMath(.floorModulo, overflow: .wrap), quotients, try make.number(2, like: quotients))
  }

  private static func shiftedRight(
    _ make: inout Composition, _ a: ValueID, by b: ValueID
  ) throws(WeighbridgeError) -> ValueID {
    let type = make.type(a).elementType
    let width = 8 * type.byteCount
    let count = try shift(&make, by: b)
    // No power of two that is a number of the type divides by all bits at once.
    let first = try make(Minimum(), count, try make.number(Double(width - 2), like: b))
    let rest = try make(Subtract(overflow: .wrap), count, first)
    let second = try make(
      Minimum(), rest, try make.number(type.isSignedInteger ? 1 : 2, like: b))
    var result = a
    for part in [first, second] {
      let power = try make(
        BinaryMath(.power, overflow: .wrap), try make.number(2, like: b), part)
      result = try make(BinaryMath(.floorDivide, overflow: .wrap), result, power)
    }
    return result
  }

  /// How far to shift: at most by all bits, and by all for a negative number.
  private static func shift(
    _ make: inout Composition, by b: ValueID
  ) throws(WeighbridgeError) -> ValueID {
    let type = make.type(b).elementType
    let width = try make.number(Double(8 * type.byteCount), like: b)
    let count = try make(Minimum(), b, width)
    guard type.isSignedInteger else { return count }
    let isNegative = try make(Comparison(.less), b, try make.number(0, like: b))
    return try make.chosen(isNegative, width, count)
  }
}
