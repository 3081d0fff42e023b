import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// Windows, and transforms of whole axes by matrices of cosines and sines.
extension ONNXLayer {
  /// Returns a window: a sum of cosines with 0, 1, ... periods.
  mutating func window(of factors: [Double]) throws(WeighbridgeError) -> ONNXValue {
    let isPeriodic = try flag("periodic", default: true)
    let number = try integer("output_datatype", default: 1)
    let size = try input()
    guard size.tensor != nil else {
      return try cast(
        try computedWindow(of: factors, size, isPeriodic: isPeriodic), toTypeNumbered: number)
    }
    guard let count = size.tensor?.integers.first, (1...1 << 24).contains(count),
      isPeriodic || count > 1
    else {
      throw malformed(
        "has no size of 1 to 2^24, or a symmetric window of 1, and a longer one is expected"
      )
    }
    let period = Double(isPeriodic ? count : count - 1)
    let values = (0..<count).map { (index: Int) -> Double in
      var sum = 0.0
      for (periods, factor) in factors.enumerated() {
        sum += factor * UnaryMath(.cosine).apply(2 * .pi * Double(periods * index) / period)
      }
      return sum
    }
    let window = newConstant(Tensor(.float64, shape: [count], values), "window")
    return try cast(window, toTypeNumbered: number)
  }

  /// Adds a window, in float64, of a size that is known only when the model runs.
  private mutating func computedWindow(
    of factors: [Double], _ size: ONNXValue, isPeriodic: Bool
  ) throws(WeighbridgeError) -> ONNXValue {
    guard type(size).shape.allSatisfy({ $0.value == 1 }), type(size).elementType.isInteger else {
      throw malformed("has a window of the size \(type(size)), expected one whole number")
    }
    let list = try apply(ReshapeAxes([.fixed(1)]), to: size, role: "size")
    let ones = try filled(with: Tensor(.float64, shape: [1], [1]), list, role: "ones")
    let places = try apply(
      CumSum(axis: 0, isExclusive: true, isReversed: false), to: ones, role: "places")
    let count = try apply(Cast(to: .float64), to: list, role: "count")
    let period =
      isPeriodic
      ? count : try apply(Subtract(), to: count, number(1, like: count, "one"), role: "period")
    var sum: ONNXValue?
    for (periods, factor) in factors.enumerated() {
      let turns = try apply(
        Multiply(), to: places, number(2 * .pi * Double(periods), like: places, "turn_\(periods)"),
        role: "turns_\(periods)")
      let angle = try apply(BinaryMath(.divide), to: turns, period, role: "angle_\(periods)")
      let cosine = try apply(UnaryMath(.cosine), to: angle, role: "cosine_\(periods)")
      let term = try apply(
        Multiply(), to: cosine, number(factor, like: cosine, "factor_\(periods)"),
        role: "term_\(periods)")
      sum =
        try sum.map { (sum) throws(WeighbridgeError) in
          try apply(Add(), to: sum, term, role: "sum_\(periods)")
        } ?? term
    }
    return sum ?? ones
  }

  /// Adds the discrete Fourier transform along an axis of `[..., 1]` real or `[..., 2]` complex
  /// numbers, or its inverse.
  fileprivate mutating func transformed(
    _ parts: [ONNXValue], _ plan: TransformPlan
  ) throws(WeighbridgeError) -> [ONNXValue] {
    let matrices = plan.matrices.map { name, values in
      newConstant(
        Tensor(type(parts[0]).elementType, shape: [plan.inputCount, plan.outputCount], values), name
      )
    }
    var results: [ONNXValue] = []
    for row in plan.rows {
      var sum: ONNXValue?
      for (part, matrix) in zip(parts, row.map { matrices[$0] }) {
        let role = "part_\(results.count)_\(sum == nil ? 0 : 1)"
        let product = try matrixProduct(part, matrix, role: role)
        sum =
          try sum.map { (sum) throws(WeighbridgeError) in
            try apply(Add(), to: sum, product, role: "sum_\(results.count)")
          } ?? product
      }
      if let sum { results.append(sum) }
    }
    return results
  }

  /// Reads a DFT node.
  mutating func discreteTransform() throws(WeighbridgeError) -> ONNXValue {
    let input = try input()
    let rank = type(input).rank
    let isInverse = try flag("inverse")
    let isOneSided = try flag("onesided")
    // Until opset 19 the axis is an attribute, and the first one after the batch by default.
    let ownAxis = try integer("axis") ?? (opset < 20 ? 1 : nil)
    let givenAxis = try constant(2)?.integers.first
    let axis = try self.axis(ownAxis ?? givenAxis ?? -2, rank: rank)
    guard rank >= 2, axis < rank - 1, let size = type(input).shape[axis].value,
      let parts = type(input).shape[rank - 1].value, (1...2).contains(parts)
    else {
      throw unsupported(
        "transforms \(type(input)) along axis \(axis), and only an axis of known size before the last, of 1 or 2 "
          + "numbers, can be read")
    }
    let isReal = isInverse && isOneSided
    let length = try constant(1)?.integers.first ?? (isReal ? 2 * (size - 1) : size)
    guard (1...4096).contains(length) else {
      throw unsupported(
        "transforms \(length.counted("element")), and only 1 to 4096 can be read")
    }
    let plan = TransformPlan(
      length: length, isInverse: isInverse, isOneSided: isOneSided, isComplex: parts == 2)
    try network.countConstant(
      TensorType(.float64, [plan.inputCount, plan.outputCount]),
      byteCount: 32 * plan.inputCount * plan.outputCount)
    let order = (0..<rank - 1).filter { $0 != axis } + [axis]
    var numbers: [ONNXValue] = []
    for part in 0..<parts {
      let range = Slice.Range(axis: rank - 1, start: part, stop: part + 1, step: 1)
      let own = parts == 1 ? input : try apply(Slice([range]), to: input, role: "slice_\(part)")
      let flat = try apply(Squeeze(axes: [rank - 1]), to: own, role: "number_\(part)")
      let last = try transposed(flat, order, role: "last_\(part)")
      numbers.append(try fitted(last, size, plan.inputCount, role: "fitted_\(part)"))
    }
    var outputs: [ONNXValue] = []
    for (index, result) in try transformed(numbers, plan).enumerated() {
      let turned = try transposed(result, order.inversePermutation, role: "turned_\(index)")
      outputs.append(
        try apply(
          ExpandDims(axes: [rank - 1]), to: turned, role: isReal ? "" : "column_\(index)"))
    }
    return isReal ? outputs[0] : try apply(Concatenate(axis: rank - 1), outputs)[0]
  }

  /// Returns a value with as many elements along its last axis, cut or followed by zeros.
  private mutating func fitted(
    _ value: ONNXValue, _ size: Int, _ target: Int, role: String
  ) throws(WeighbridgeError) -> ONNXValue {
    let axis = type(value).rank - 1
    if size == target { return value }
    if size > target {
      let range = Slice.Range(axis: axis, start: 0, stop: target, step: 1)
      return try apply(Slice([range]), to: value, role: role)
    }
    let none = [Int](repeating: 0, count: axis + 1)
    var after = none
    after[axis] = target - size
    return try apply(Pad(before: none, after: after, mode: .constant), to: value, role: role)
  }
}

/// Which matrices transform real and imaginary parts.
private struct TransformPlan {
  let inputCount: Int
  let outputCount: Int
  /// The matrices, `[inputs, outputs]`, by name.
  let matrices: [(name: String, values: [Double])]
  /// For each part of the result, the matrices for the parts of the input.
  let rows: [[Int]]

  init(length: Int, isInverse: Bool, isOneSided: Bool, isComplex: Bool) {
    let half = length / 2 + 1
    let isReal = isInverse && isOneSided
    inputCount = isReal ? half : length
    outputCount = isOneSided && !isInverse ? half : length
    var (cosines, sines): ([Double], [Double]) = ([], [])
    for input in 0..<inputCount {
      // Of two conjugate frequencies, one stands for both.
      let isPair = isReal && input > 0 && 2 * input < length
      let factor = (isInverse ? 1 / Double(length) : 1) * (isPair ? 2 : 1)
      for output in 0..<outputCount {
        let angle = 2 * Double.pi * Double(input * output % length) / Double(length)
        cosines.append(factor * UnaryMath(.cosine).apply(angle))
        sines.append(factor * UnaryMath(.sine).apply(isInverse ? angle : -angle))
      }
    }
    matrices = [
      ("cosines", cosines), ("sines", sines), ("negative_sines", sines.map { -$0 }),
    ]
    let rows = [[0, 2], [1, 0]].map { isComplex ? $0 : Array($0.prefix(1)) }
    self.rows = isReal ? [rows[0]] : rows
  }
}
