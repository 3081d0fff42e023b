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
      default: try call.addBinary(BinaryMath(function)) { _, _ in (0, true) }
      }
    } + others

  static let binaryNames: [Names<BinaryMath.Function>] = [
    Names(
      ["Divide", "TrueDivide"], tf: ["math.divide", "math.truediv", "truediv", "divide"], .divide),
    Names(["DivideNoNan"], tf: ["math.divide_no_nan"], .divideNoNaN),
    Names(["FloorDivide"], tf: ["math.floordiv", "floordiv", "floor_div"], .floorDivide),
    Names(["Mod"], tf: ["math.floormod", "math.mod", "floormod"], .floorModulo),
    Names(["Fmod"], tf: ["truncatemod"], .truncatedModulo, module: nil),
    Names(["Power"], tf: ["math.pow", "pow"], .power),
    Names(tf: ["math.squared_difference"], .squaredDifference),
    Names(["Hypot"], .hypotenuse),
    Names(["Logaddexp"], .logAddExp),
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
      return try call.add(
        BinaryMath(.arcTangent2), try call.unified(terms, sharesRank: true))
    },
    Entry(tf: ["math.add_n", "add_n"]) { (call) throws(WeighbridgeError) in
      let values = try call.tensors("inputs", at: 0)
      return values.count == 1
        ? try call.add(Identity(), values) : try call.add(Add(), values)
    },
    Entry(tf: ["nn.bias_add"]) { (call) throws(WeighbridgeError) in
      try call.require("data_format", toBe: "NHWC", because: "the bias stands on the last axis")
      let terms = [try call.term("value", at: 0), try call.term("bias")]
      return try call.add(Add(), try call.unified(terms, sharesRank: true))
    },
    Entry(["Clip"], tf: ["clip_by_value"]) { (call) throws(WeighbridgeError) in
      let value = try call.tensor("x", "t", at: 0)
      let minimum = try call.real("x_min", "clip_value_min", default: -.infinity)
      let maximum = try call.real("x_max", "clip_value_max", default: .infinity)
      guard minimum <= maximum else { throw .unsupported("clips to \(minimum)...\(maximum)") }
      return try call.add(Clip(minimum: minimum, maximum: maximum), [value])
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
    let outputs = try add(operation, try unified(terms, sharesRank: true))
    noteArithmetic(terms, outputs[0], combine)
    return outputs
  }

  /// Adds a quotient. Keras 3 divides integers in float32.
  fileprivate mutating func addQuotient(
    _ function: BinaryMath.Function
  ) throws(WeighbridgeError) -> [ValueID] {
    var values = try unified(try pair(), sharesRank: true)
    if case .operation = name {
      for index in values.indices { values[index] = try floating(values[index]) }
    }
    return try add(BinaryMath(function), values)
  }
}
