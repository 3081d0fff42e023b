import Bytes
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// Reductions, cumulative functions and normalizations.
extension KerasFunctionTable {
  static let reductions =
    entries(reductionNames) { (call, function) throws(WeighbridgeError) in
      try call.addReduction(function, of: try call.tensor("x", "input_tensor", at: 0))
    } + alongAxes

  static let reductionNames: [Names<Reduce.Function>] = [
    Names(["Sum"], tf: ["math.reduce_sum", "reduce_sum"], .sum),
    Names(["Mean"], tf: ["math.reduce_mean", "reduce_mean"], .mean),
    Names(["Max", "Amax"], tf: ["math.reduce_max", "reduce_max"], .maximum),
    Names(["Min", "Amin"], tf: ["math.reduce_min", "reduce_min"], .minimum),
    Names(["Prod"], tf: ["math.reduce_prod", "reduce_prod"], .product),
    Names(["Any"], tf: ["math.reduce_any", "reduce_any"], .any),
    Names(["All"], tf: ["math.reduce_all", "reduce_all"], .all),
    Names(["Var"], tf: ["math.reduce_variance"], .variance),
    Names(["Std"], tf: ["math.reduce_std"], .standardDeviation),
    Names(
      ["Logsumexp"], tf: ["math.reduce_logsumexp", "reduce_logsumexp"], .logSumExp,
      module: "math"),
    Names(tf: ["math.reduce_euclidean_norm"], .l2Norm),
  ]

  private static let alongAxes: [Entry] = [
    Entry(["Norm"], tf: ["norm", "linalg.norm"]) { (call) throws(WeighbridgeError) in
      try call.addNorm()
    },
    Entry(["Argmax"], tf: ["math.argmax", "argmax"]) { (call) throws(WeighbridgeError) in
      try call.addArgumentReduction(ArgMax.self, of: try call.tensor("x", "input", at: 0))
    },
    Entry(["Argmin"], tf: ["math.argmin", "argmin"]) { (call) throws(WeighbridgeError) in
      try call.addArgumentReduction(ArgMin.self, of: try call.tensor("x", "input", at: 0))
    },
    Entry(["Cumsum"], tf: ["math.cumsum", "cumsum"]) { (call) throws(WeighbridgeError) in
      try call.addCumulative(CumSum.self, of: try call.tensor("x", at: 0))
    },
    Entry(["Cumprod"], tf: ["math.cumprod"]) { (call) throws(WeighbridgeError) in
      try call.addCumulative(CumProd.self, of: try call.tensor("x", at: 0))
    },
    Entry(tf: ["math.l2_normalize", "nn.l2_normalize", "linalg.l2_normalize"]) {
      (call) throws(WeighbridgeError) in
      let (value, type) = try call.typedTensor("x", at: 0)
      let axes = try call.axes("axis", of: type) ?? Array(0..<type.rank)
      return try call.addNormalized(
        value, axes: axes, epsilon: try call.real("epsilon", default: 1e-12))
    },
    Entry(["Normalize"]) { (call) throws(WeighbridgeError) in
      let value = try call.floating(try call.tensor("x", at: 0))
      let axes = try call.axes("axis", of: call.type(of: value)) ?? [call.type(of: value).rank - 1]
      let epsilon = try call.real("epsilon", default: 1e-7)
      let order = try call.plain("order") ?? 2
      guard order.real != 2 else {
        // Keras' bound applies to the norm; that of the operator applies to its square.
        return try call.addNormalized(value, axes: axes, epsilon: epsilon * epsilon)
      }
      let norm = try call.addNorm(
        of: value, order: order, axes: axes, keepDims: true, role: "norm")
      let divisor = try call.part(Maximum(), norm, call.number(epsilon, like: norm))
      return try call.add(BinaryMath(.divide), [value, divisor])
    },
    Entry(["Moments"], tf: ["nn.moments"]) { (call) throws(WeighbridgeError) in
      let value = try call.tensor("x", at: 0)
      let axes = try call.axes("axes", of: call.type(of: value)) ?? []
      let keepDims = try call.flag("keepdims", default: false)
      call.ignore("synchronized")
      let mean = Reduce(.mean, axes: axes, keepDims: keepDims)
      let variance = Reduce(.variance, axes: axes, keepDims: keepDims)
      return try call.add(mean, [value]) + call.add(variance, [value], role: "1")
    },
  ]
}

extension KerasFunction {
  mutating func addReduction(
    _ function: Reduce.Function, of value: ValueID
  ) throws(WeighbridgeError) -> [ValueID] {
    var value = value
    let known = layer.network.knownDimensions[value]
    let type = self.type(of: value)
    let axes = try axes("axis", of: type) ?? Array(0..<type.rank)
    let keepDims = try flag("keepdims", default: false)
    try require("initial", toBe: .null, because: "an initial value is not supported")
    try require("dtype", toBe: .null, because: "the type is the input's")
    var function = function
    switch (function, type.elementType) {
    case (.any, _), (.all, _): value = try boolean(value)
    case (.maximum, .bool) where isOperation: function = .any
    case (.minimum, .bool) where isOperation: function = .all
    case (.product, .uint64) where isOperation: value = try converted(value, to: .uint32)
    case (.sum, let type), (.product, let type):
      if isOperation { value = try converted(value, to: type.widened) }
    default: break
    }
    if function.requiresFloat, isOperation { value = try floating(value) }
    if function == .mean, type.elementType.isInteger, !isOperation {
      return try layer.addIntegerMean(of: value, axes: axes, keepDims: keepDims)
    }
    let outputs = try add(Reduce(function, axes: axes, keepDims: keepDims), [value])
    if function == .product, let known, known.isVector, !keepDims {
      let product = (try? Dimension.product(known.dimensions)) ?? .unknown
      layer.network.knownDimensions[outputs[0]] = KnownDimensions(
        dimensions: [product], isVector: false)
    }
    return outputs
  }

  fileprivate mutating func addNorm() throws(WeighbridgeError) -> [ValueID] {
    let value = try floating(try tensor("x", "tensor", at: 0))
    let type = self.type(of: value)
    let axes = try axes("axis", of: type) ?? Array(0..<type.rank)
    let keepDims = try flag("keepdims", default: false)
    let order = try plain("ord") ?? "euclidean"
    return [try addNorm(of: value, order: order, axes: axes, keepDims: keepDims, role: "")]
  }

  /// Adds a norm along axes.
  ///
  /// - Parameter order: `ord`: a name, or a number p, of which (sum of |x|^p)^(1/p) is computed.
  mutating func addNorm(
    of value: ValueID, order: JSONValue, axes: [Int], keepDims: Bool, role: String
  ) throws(WeighbridgeError) -> ValueID {
    guard axes.count == 1 || order == "euclidean" || order == "fro" else {
      throw .unsupported("ord=\(order.text()) of matrices is not supported")
    }
    if order == "euclidean" || order == "fro" || order.real == 2 {
      return try addOne(Reduce(.l2Norm, axes: axes, keepDims: keepDims), [value], role: role)
    }
    let functions: [Double: Reduce.Function] = [
      1: .sum, .infinity: .maximum, -.infinity: .minimum,
    ]
    let magnitude = try part(UnaryMath(.absolute), value)
    if let function = order.real.flatMap({ functions[$0] }) {
      return try addOne(Reduce(function, axes: axes, keepDims: keepDims), [magnitude], role: role)
    }
    guard let power = order.real, power > 0 else {
      throw .unsupported("ord=\(order.text()) is not supported")
    }
    let powers = try part(
      BinaryMath(.power), magnitude, try number(power, like: magnitude))
    let sum = try reduced(.sum, powers, axes, keepDims: keepDims)
    return try addOne(BinaryMath(.power), [sum, try number(1 / power, like: sum)], role: role)
  }

  /// Adds an argmax or argmin. Keras 3 returns int32, TensorFlow int64 by default; without an axis,
  /// Keras 3 searches all elements and TensorFlow searches along axis 0.
  mutating func addArgumentReduction<Operation: ArgumentReduction>(
    _: Operation.Type, of value: ValueID
  ) throws(WeighbridgeError) -> [ValueID] {
    let axes = try integers("axis")
    let keepDims = try flag("keepdims", default: false)
    let result = isOperation ? .int32 : try elementType("output_type") ?? .int64
    let ordered = try loweringNegativeZeros(in: try ordered(value))
    let (lines, axis) = try argumentLines(
      of: ordered, axes ?? (isOperation ? nil : [0]), keepDims: keepDims)
    return try add(Operation(axis: axis, keepDims: keepDims, elementType: result), [lines])
  }

  /// The elements among which the largest or smallest is searched along an axis, and that axis.
  /// Without an axis they are all elements, whose axis is followed by others of one element to keep
  /// the rank.
  mutating func argumentLines(
    of value: ValueID, _ axes: [Int]?, keepDims: Bool
  ) throws(WeighbridgeError) -> (ValueID, axis: Int) {
    let type = self.type(of: value)
    if let axis = axes?.first { return (value, try KerasLayer.axis(axis, of: type)) }
    guard type.rank >= 1 else { throw .unsupported("takes \(type), which has no axes") }
    let ones = [ReshapeAxes.Size](repeating: .fixed(1), count: keepDims ? type.rank - 1 : 0)
    return (try addOne(ReshapeAxes([.rest] + ones), [value], role: "flatten"), 0)
  }

  /// The elements among which Keras searches since 3.9: in place of -0 the largest normal number below
  /// 0, since some processors take the numbers between them for 0.
  mutating func loweringNegativeZeros(in value: ValueID) throws(WeighbridgeError) -> ValueID {
    let type = type(of: value)
    guard isOperation, layer.version >= KerasVersion(3, 9), type.elementType.isFloat,
      type.rank >= 1, !layer.graph.isNeverNegative(value)
    else { return value }
    let isWide = type.elementType == .float64
    let wide = isWide ? value : try converted(value, to: .float32)
    let lowest = isWide ? -Double.leastNormalMagnitude : -Double(Float.leastNormalMagnitude)
    // The reciprocals of zeros are infinities with their signs.
    let reciprocals = try part(UnaryMath(.reciprocal), wide)
    return try part(
      Where(), try part(Comparison(.equal), wide, try number(0, like: wide)),
      try part(Clip(minimum: lowest, maximum: 0), reciprocals), wide)
  }

  mutating func addCumulative<Operation: CumulativeOperator>(
    _: Operation.Type, of value: ValueID
  ) throws(WeighbridgeError) -> [ValueID] {
    var value = value
    let accumulated = try elementType("dtype") ?? (isOperation && isBoolean(value) ? .int32 : nil)
    if let accumulated { value = try converted(value, to: accumulated) }
    let isExclusive = try flag("exclusive", default: false)
    let isReversed = try flag("reverse", default: false)
    let axis =
      if case .operation = name {
        try axisOrFlattened(&value)
      } else {
        try self.axis(of: type(of: value), default: 0)
      }
    return try add(
      Operation(axis: axis, isExclusive: isExclusive, isReversed: isReversed), [value])
  }

  /// Adds x / √(max(sum of x², epsilon)).
  fileprivate mutating func addNormalized(
    _ value: ValueID, axes: [Int], epsilon: Double
  ) throws(WeighbridgeError) -> [ValueID] {
    guard !axes.isEmpty else { throw .malformed("normalizes along no axis") }
    return try add(UnitNormalization(axes: axes, epsilon: epsilon), [value])
  }
}

extension ElementType {
  /// The type in which Keras 3 adds and multiplies the elements of a tensor.
  fileprivate var widened: ElementType {
    switch self {
    case .bool, .int8, .int16: .int32
    case .uint8, .uint16: .uint32
    default: self
    }
  }
}

extension GraphBuilder {
  /// Whether a value has no negative numbers and no -0, as probabilities.
  fileprivate func isNeverNegative(_ value: ValueID) -> Bool {
    let operation = node(computing: value)?.operation
    return operation is Softmax || operation is Sigmoid
  }
}
