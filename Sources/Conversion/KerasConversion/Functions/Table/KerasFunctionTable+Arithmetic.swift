import Bytes
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// Elementwise functions of two tensors.
extension KerasFunctionTable {
  static let arithmetic =
    entries(binaryNames) { (call, function) throws(WeighbridgeError) in
      switch function {
      case .divide, .divideNoNaN: try call.addQuotient(function)
      case .floorDivide:
        try call.addBinary(BinaryMath(.floorDivide)) {
          $1 > 0 && $0 >= 0 ? $0.dividedReportingOverflow(by: $1) : (0, true)
        }
      case .floorModulo, .truncatedModulo: try call.addRemainder(function)
      case .power: try call.addPower()
      case .hypotenuse, .logAddExp: try call.addFloating(BinaryMath(function), try call.pair())
      default: try call.addBinary(BinaryMath(function)) { _, _ in (0, true) }
      }
    } + bitwise + others

  static let binaryNames: [Names<BinaryMath.Function>] = [
    Names(
      ["Divide", "TrueDivide"],
      tf: ["math.divide", "math.truediv", "truediv", "divide", "realdiv"], .divide),
    Names(["DivideNoNan"], tf: ["math.divide_no_nan"], .divideNoNaN),
    Names(["FloorDivide"], tf: ["math.floordiv", "floordiv", "floor_div"], .floorDivide),
    Names(["Mod"], tf: ["math.floormod", "math.mod", "floormod"], .floorModulo),
    Names(["Fmod"], tf: ["truncatemod"], .truncatedModulo, module: nil),
    Names(["Power"], tf: ["math.pow", "pow"], .power),
    Names(tf: ["math.squared_difference"], .squaredDifference),
    Names(["Hypot"], .hypotenuse),
    Names(["Logaddexp"], .logAddExp),
  ]

  private static let bitwise: [Entry] =
    entries([
      Names(["BitwiseAnd"], tf: ["bitwise.bitwise_and"], BitwiseMath.Function.and),
      Names(["BitwiseOr"], tf: ["bitwise.bitwise_or"], .or),
      Names(["BitwiseXor"], tf: ["bitwise.bitwise_xor"], .xor),
      Names(["BitwiseLeftShift", "LeftShift"], tf: ["bitwise.left_shift"], .leftShift),
      Names(["BitwiseRightShift", "RightShift"], tf: ["bitwise.right_shift"], .rightShift),
    ]) { (call, function) throws(WeighbridgeError) in
      let terms = [try call.term("x", at: 0), try call.term("y", at: 1)]
      var inputs = try call.unified(terms, sharesRank: true)
      if [.leftShift, .rightShift].contains(function), !call.layer.writer.isJAX {
        inputs[1] = try call.shift(terms[1], inputs[1])
      }
      return try call.add(BitwiseMath(function), inputs)
    } + [
      Entry(["BitwiseNot", "BitwiseInvert"], tf: ["bitwise.invert"]) {
        (call) throws(WeighbridgeError) in
        let value = try call.tensor("x", at: 0)
        let type = call.type(of: value)
        let ones = Tensor(
          type.elementType, shape: [Int](repeating: 1, count: type.rank),
          bytes: [UInt8](repeating: 0xFF, count: type.elementType.byteCount))
        return try call.add(BitwiseMath(.xor), [value, try call.add(constant: ones)])
      }
    ]

  private static let others: [Entry] = [
    Entry(["Add"], tf: ["__operators__.add", "math.add", "add"]) {
      (call) throws(WeighbridgeError) in
      try call.addBinary(Add()) { $0.addingReportingOverflow($1) }
    },
    Entry(["Subtract"], tf: ["math.subtract", "subtract"]) { (call) throws(WeighbridgeError) in
      try call.addBinary(Subtract()) { $0.subtractingReportingOverflow($1) }
    },
    Entry(["Multiply"], tf: ["math.multiply", "multiply"]) { (call) throws(WeighbridgeError) in
      try call.addBinary(Multiply()) { $0.multipliedReportingOverflow(by: $1) }
    },
    Entry(["Maximum"], tf: ["math.maximum", "maximum"]) { (call) throws(WeighbridgeError) in
      try call.addBinary(Maximum()) { (max($0, $1), false) }
    },
    Entry(["Minimum"], tf: ["math.minimum", "minimum"]) { (call) throws(WeighbridgeError) in
      try call.addBinary(Minimum()) { (min($0, $1), false) }
    },
    // TensorFlow names the first operand y and the second x.
    Entry(["Arctan2"], tf: ["math.atan2", "atan2"]) { (call) throws(WeighbridgeError) in
      let terms = [try call.term("x1", "y", at: 0), try call.term("x2", "x", at: 1)]
      return try call.addFloating(BinaryMath(.arcTangent2), terms)
    },
    Entry(tf: ["math.add_n", "add_n"]) { (call) throws(WeighbridgeError) in
      let values = try call.tensors("inputs", at: 0)
      return values.count == 1
        ? try call.add(Identity(), values) : try call.add(Add(), values)
    },
    Entry(tf: ["nn.bias_add"]) { (call) throws(WeighbridgeError) in
      try call.require(
        "data_format", toBe: "NHWC", because: "the bias is added along the last axis")
      let terms = [try call.term("value", at: 0), try call.term("bias")]
      return try call.add(Add(), try call.unified(terms, sharesRank: true))
    },
  ]
}

extension KerasFunction {
  /// The two operands of a binary function.
  mutating func pair() throws(WeighbridgeError) -> [Term] {
    [try term("x1", "x", at: 0), try term("x2", "y", at: 1)]
  }

  /// Adds an operator of two tensors, and records its result if they are dimensions.
  fileprivate mutating func addBinary(
    _ operation: some CatalogOperator, _ combine: (Int, Int) -> (Int, Bool)
  ) throws(WeighbridgeError) -> [ValueID] {
    let terms = try pair()
    var values = try unified(terms, sharesRank: true)
    if isOperation, operation is Add { values = try layer.addends(values) }
    let outputs = try add(operation, values)
    noteArithmetic(terms, outputs[0], combine)
    return outputs
  }

  /// Adds a function that Keras 3 computes of floating-point numbers, with Python's numbers as
  /// tensors. Its hypotenuse of 64-bit integers is float64.
  fileprivate mutating func addFloating(
    _ operation: BinaryMath, _ terms: [Term]
  ) throws(WeighbridgeError) -> [ValueID] {
    var values = try unified(terms, sharesRank: true, areNumbersTyped: true)
    for index in values.indices where isOperation {
      values[index] =
        operation.function == .hypotenuse
        ? try floatingOfWide(values[index]) : try floating(values[index])
    }
    return try add(operation, values)
  }

  /// Adds a remainder. In Keras 3, Python's numbers are tensors here and booleans are numbers, and the
  /// remainder of a truncated quotient is that of the absolute values, with the sign of the first.
  fileprivate mutating func addRemainder(
    _ function: BinaryMath.Function
  ) throws(WeighbridgeError) -> [ValueID] {
    let terms = try pair()
    var values = try unified(terms, sharesRank: true, areNumbersTyped: areTensors(terms))
    guard isOperation else { return try add(BinaryMath(function), values) }
    for index in values.indices where isBoolean(values[index]) {
      values[index] = try converted(values[index], to: .int32)
    }
    let type = type(of: values[0]).elementType
    guard function == .truncatedModulo, type.isInteger else {
      return try add(BinaryMath(function), values)
    }
    let computed: ElementType = type.isSignedInteger ? type : .int32
    var magnitudes: [ValueID] = []
    for index in values.indices {
      values[index] = try converted(values[index], to: computed, role: "signed_\(index)")
      magnitudes.append(
        try addOne(UnaryMath(.absolute), [values[index]], role: "absolute_\(index)"))
    }
    let rest = try addOne(BinaryMath(.floorModulo), magnitudes, role: "rest")
    let sign = try addOne(UnaryMath(.sign), [values[0]], role: "sign")
    if computed == type { return try add(Multiply(), [sign, rest]) }
    return try add(Cast(to: type), [try addOne(Multiply(), [sign, rest], role: "product")])
  }

  /// How far TensorFlow shifts: by no bit for a number below zero, and by at most all bits but one.
  fileprivate mutating func shift(
    _ term: Term, _ value: ValueID
  ) throws(WeighbridgeError) -> ValueID {
    let last = Double(8 * type(of: value).elementType.byteCount - 1)
    if let number = plainNumber(term), (0...last).contains(number) { return value }
    let raised = try part(Maximum(), value, try number(0, like: value))
    return try part(Minimum(), raised, try number(last, like: value))
  }

  /// Adds a power. Keras 3 computes that of unsigned integers as int32, and JAX takes six bits of the
  /// exponents in a tensor of integers.
  fileprivate mutating func addPower() throws(WeighbridgeError) -> [ValueID] {
    let terms = try pair()
    var values = try unified(terms, sharesRank: true)
    let (base, exponent) = (values[0], values[1])
    let type = type(of: base).elementType
    guard isOperation, type.isInteger else { return try add(BinaryMath(.power), values) }
    let isCut = layer.writer.isJAX && plainNumber(terms[1]) == nil
    if isCut {
      values[1] = try part(BitwiseMath(.and), exponent, try number(63, like: exponent))
    } else if type.isSignedInteger {
      return try add(BinaryMath(.power), values)
    }
    if !type.isSignedInteger {
      values = try values.map { (value) throws(WeighbridgeError) in
        try self.value(.value(value), as: .int32)
      }
    }
    var power = try part(BinaryMath(.power), values[0], values[1])
    guard isCut else { return try add(Cast(to: type), [power]) }
    if !type.isSignedInteger { power = try part(Cast(to: type), power) }
    let ofZero = try chosen(exponent, .equal, 0, power, base)
    return try result(try chosen(base, .equal, 0, ofZero, power))
  }

  /// Adds a quotient. Keras 3 divides integers in float32; TensorFlow divides those of more than 16
  /// bits in float64.
  fileprivate mutating func addQuotient(
    _ function: BinaryMath.Function
  ) throws(WeighbridgeError) -> [ValueID] {
    var values = try unified(try pair(), sharesRank: true, areFloating: true)
    for index in values.indices {
      let type = type(of: values[index]).elementType
      if type.isFloat || type == .bool { continue }
      values[index] = try value(
        .value(values[index]), as: type.byteCount <= 2 ? .float32 : .float64)
    }
    return try add(BinaryMath(function), values)
  }
}
