import Bytes
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// Comparisons and boolean logic.
extension KerasFunctionTable {
  static let logic =
    entries(comparisonNames) { (call, relation) throws(WeighbridgeError) in
      let (first, second) = call.operandNames
      let terms = [try call.term("x1", first, at: 0), try call.term("x2", second, at: 1)]
      call.ignore("incompatible_shape_error")
      let values = try call.unified(
        terms, sharesRank: true, areNumbersTyped: call.areTensors(terms))
      return try call.add(Comparison(relation), values)
    }
    + entries([
      Names(["Isinf"], tf: ["math.is_inf"], .greater),
      Names(["Isfinite"], tf: ["math.is_finite"], .lessOrEqual),
    ]) { (call, relation: Comparison.Relation) throws(WeighbridgeError) in
      try call.addMagnitudeComparison(relation)
    } + booleanFunctions

  static let comparisonNames: [Names<Comparison.Relation>] = [
    Names(["Equal"], tf: ["math.equal", "equal", "__operators__.eq"], .equal),
    Names(["NotEqual"], tf: ["math.not_equal", "not_equal", "__operators__.ne"], .notEqual),
    Names(["Less"], tf: ["math.less", "less"], .less),
    Names(["LessEqual"], tf: ["math.less_equal", "less_equal"], .lessOrEqual),
    Names(["Greater"], tf: ["math.greater", "greater"], .greater),
    Names(["GreaterEqual"], tf: ["math.greater_equal", "greater_equal"], .greaterOrEqual),
  ]

  private static let booleanFunctions: [Entry] = [
    Entry(["LogicalAnd"], tf: ["math.logical_and", "logical_and"]) {
      (call) throws(WeighbridgeError) in try call.add(LogicalAnd(), try call.booleanPair())
    },
    Entry(["LogicalOr"], tf: ["math.logical_or", "logical_or"]) {
      (call) throws(WeighbridgeError) in try call.add(LogicalOr(), try call.booleanPair())
    },
    Entry(["LogicalXor"], tf: ["math.logical_xor"]) { (call) throws(WeighbridgeError) in
      try call.add(Comparison(.notEqual), try call.booleanPair())
    },
    Entry(["LogicalNot"], tf: ["math.logical_not", "logical_not"]) {
      (call) throws(WeighbridgeError) in
      try call.add(LogicalNot(), [try call.boolean(try call.tensor("x", at: 0))])
    },
    // Only a NaN is unequal to itself.
    Entry(["Isnan"], tf: ["math.is_nan"]) { (call) throws(WeighbridgeError) in
      let value = try call.tensor("x", at: 0)
      return try call.add(Comparison(.notEqual), [value, value])
    },
    Entry(["IsIn"]) { (call) throws(WeighbridgeError) in try call.addMembership() },
    Entry(["Signbit"]) { (call) throws(WeighbridgeError) in
      let value = try call.tensor("x", at: 0)
      let isFloat = call.type(of: value).elementType.isFloat
      // The sign of a NaN and of a zero is in the bits.
      let number =
        isFloat
        ? try call.part(BitCast(to: .int32), try call.value(.value(value), as: .float32))
        : call.isBoolean(value) ? try call.part(Cast(to: .int32), value) : value
      return try call.add(Comparison(.less), [number, try call.number(0, like: number)])
    },
    ascending(["math.is_non_decreasing"], .greaterOrEqual),
    ascending(["math.is_strictly_increasing"], .greater),
    Entry(["Where"], tf: ["where"]) { (call) throws(WeighbridgeError) in
      let condition = try call.term("condition", at: 0)
      let choices = [try call.term("x1", "x", at: 1), try call.term("x2", "y", at: 2)]
      return try call.addSelect(condition, choices)
    },
  ]
}

extension KerasFunctionTable {
  /// Whether the differences of adjacent elements, in row-major order, are all at least, or above, 0.
  private static func ascending(_ names: [String], _ relation: Comparison.Relation) -> Entry {
    Entry(tf: names) { (call) throws(WeighbridgeError) in
      let elements = try call.part(ReshapeAxes([.rest]), try call.tensor("x", at: 0))
      let steps = try call.difference(
        try call.sliced(elements, axis: 0, from: 1), try call.sliced(elements, axis: 0, to: -1))
      let areAscending = try call.part(Comparison(relation), steps, try call.number(0, like: steps))
      return try call.add(Reduce(.all, axes: [0], keepDims: false), [areAscending])
    }
  }
}

extension KerasFunction {
  /// Adds whether each element is equal to any of another tensor.
  fileprivate mutating func addMembership() throws(WeighbridgeError) -> [ValueID] {
    let terms = try pair()
    ignore("assume_unique")
    let isInverted = try flag("invert", default: false)
    let values = try unified(terms, sharesRank: false, areNumbersTyped: areTensors(terms))
    let rank = type(of: values[0]).rank
    let members = try expanded(try part(ReshapeAxes([.rest]), values[1]), rank: rank + 1)
    let elements = try part(ExpandDims(axes: [rank]), values[0])
    let isEqual = try part(Comparison(.equal), elements, members)
    if !isInverted { return try add(Reduce(.any, axes: [rank], keepDims: false), [isEqual]) }
    return try add(
      LogicalNot(), [try reduced(.any, isEqual, [rank], keepDims: false)])
  }

  /// The names of the operands, which differ between `__operators__.eq` and `math.equal`.
  fileprivate var operandNames: (String, String) {
    if case .tensorFlow(let text) = name, text.hasPrefix("__operators__") {
      return ("self", "other")
    }
    return ("x", "y")
  }

  func isBoolean(_ value: ValueID) -> Bool { type(of: value).elementType == .bool }

  /// Converts a value to booleans, as Keras 3 does.
  mutating func boolean(_ value: ValueID) throws(WeighbridgeError) -> ValueID {
    isBoolean(value) ? value : try converted(value, to: .bool)
  }

  /// The two operands of a boolean function, as booleans.
  fileprivate mutating func booleanPair() throws(WeighbridgeError) -> [ValueID] {
    guard isOperation else { return try unified(try pair(), sharesRank: true) }
    var values: [ValueID] = []
    for term in try pair() {
      values.append(try boolean(try unified([term], sharesRank: false)[0]))
    }
    return try unified(values.map { .value($0) }, sharesRank: true)
  }

  /// Adds a comparison of the elements' absolute values with the largest finite number.
  fileprivate mutating func addMagnitudeComparison(
    _ relation: Comparison.Relation
  ) throws(WeighbridgeError) -> [ValueID] {
    let value = try floating(try tensor("x", at: 0))
    let largest = type(of: value).elementType.greatestFiniteNumber
    let magnitude = try addOne(UnaryMath(.absolute), [value], role: "absolute")
    return try add(Comparison(relation), [magnitude, try number(largest, like: value)])
  }

  fileprivate mutating func addSelect(
    _ condition: Term, _ choices: [Term]
  ) throws(WeighbridgeError) -> [ValueID] {
    // All three have the same rank, and the choices have the same type.
    let typed = try unified(choices, sharesRank: true)
    let conditionValue = try boolean(try unified([condition], sharesRank: false)[0])
    var values = [conditionValue] + typed
    let rank = values.map { type(of: $0).rank }.max() ?? 0
    // TensorFlow 1 selects rows by a vector, and TensorFlow 2 elements of the last axis.
    if rank > 1, type(of: conditionValue).rank == 1, layer.version < KerasVersion(2, 4) {
      throw .unsupported("selects by a vector, which means another axis in TensorFlow 1 and 2")
    }
    for index in values.indices { values[index] = try expanded(values[index], rank: rank) }
    return try add(Where(), values)
  }
}
