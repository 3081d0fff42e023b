import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog
import ProtobufWire

/// Operations that often become several layers.
extension CoreMLNetworkBuilder {
  /// Combines the inputs from first to last with a layer of two inputs.
  mutating func chain(_ kind: String, _ inputs: [String]) throws(WeighbridgeError) -> String {
    var result = inputs[0]
    for other in inputs.dropFirst() { result = try add(kind, [result, other]) }
    return result
  }

  /// Adds an activation with its named parameters.
  mutating func activation(
    _ kind: String, _ input: String, _ numbers: [String: Double] = [:]
  ) throws(WeighbridgeError) -> String {
    let settings = ProtobufRecord(numbers.mapValues(ProtobufValue.double))
    return try add("activation", [input], [kind: .record(settings)])
  }

  /// Adds `scale * x + offset`.
  mutating func linear(
    _ input: String, scale: Double = 1, offset: Double = 0
  ) throws(WeighbridgeError) -> String {
    if scale == 1, offset == 0 { return input }
    return try activation("linear", input, ["alpha": scale, "beta": offset])
  }

  /// Adds an elementwise function.
  mutating func unary(
    _ function: String, _ input: String, alpha: Double = 0
  ) throws(WeighbridgeError) -> String {
    // An unset scale means 1 but is stored like 0, so the scale is always written.
    try add(
      "unary", [input], ["type": .choice(function), "alpha": .double(alpha), "scale": .double(1)])
  }

  mutating func product(_ first: String, _ second: String) throws(WeighbridgeError) -> String {
    try add(axes == .exact ? "multiplyBroadcastable" : "multiply", [first, second])
  }

  mutating func sum(_ first: String, _ second: String) throws(WeighbridgeError) -> String {
    try add(axes == .exact ? "addBroadcastable" : "add", [first, second])
  }

  mutating func difference(_ first: String, _ second: String) throws(WeighbridgeError) -> String {
    if axes == .exact { return try add("subtractBroadcastable", [first, second]) }
    return try add("add", [first, try linear(second, scale: -1)])
  }

  mutating func quotient(_ first: String, _ second: String) throws(WeighbridgeError) -> String {
    try add("divideBroadcastable", [first, second])
  }

  mutating func squareRoot(_ input: String) throws(WeighbridgeError) -> String {
    try unary("SQRT", input)
  }

  /// Selects the second input where the first is not 0, and the third elsewhere.
  mutating func select(
    _ condition: String, _ first: String, _ second: String
  ) throws(WeighbridgeError) -> String {
    try add("whereBroadcastable", [condition, first, second])
  }

  /// Compares elements with a number.
  mutating func compare(
    _ kind: String, _ input: String, _ number: Double
  ) throws(WeighbridgeError) -> String {
    try add(kind, [input], ["alpha": .double(number)])
  }

  /// Clips elements to a range.
  mutating func clip(
    _ input: String, _ minimum: Double, _ maximum: Double
  ) throws(WeighbridgeError) -> String {
    let largest = Double(Float.greatestFiniteMagnitude)
    return try add(
      "clip", [input],
      [
        "minVal": .double(max(minimum, -largest)), "maxVal": .double(min(maximum, largest)),
      ])
  }

  /// Truncates elements toward zero.
  mutating func truncate(_ input: String) throws(WeighbridgeError) -> String {
    try product(try add("sign", [input]), try add("floor", [try unary("ABS", input)]))
  }

  /// Reduces axes with `reduceSum` or a similar layer.
  mutating func reduce(
    _ kind: String, _ input: String, _ axes: [Int], keepDims: Bool = true
  ) throws(WeighbridgeError) -> String {
    try add(kind, [input], ["axes": .integers(axes), "keepDims": .boolean(keepDims)])
  }

  mutating func transpose(_ input: String, _ order: [Int]) throws(WeighbridgeError) -> String {
    if order == Array(order.indices) { return input }
    guard axes == .images else { return try add("transpose", [input], ["axes": .integers(order)]) }
    guard order.count == 4, order[0] == 0 else {
      throw Self.needsExactAxes("an order of axes \(order)")
    }
    return try add("permute", [input], ["axis": .integers(order)])
  }

  mutating func expandDims(_ input: String, _ axes: [Int]) throws(WeighbridgeError) -> String {
    axes.isEmpty ? input : try add("expandDims", [input], ["axes": .integers(axes)])
  }

  mutating func squeeze(_ input: String, _ axes: [Int]) throws(WeighbridgeError) -> String {
    axes.isEmpty ? input : try add("squeeze", [input], ["axes": .integers(axes)])
  }

  /// Reshapes a value.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` when a dimension is not known.
  mutating func reshape(
    _ input: String, to type: TensorType
  ) throws(WeighbridgeError) -> String {
    if axes == .images, type.rank == 2 {
      return try add("flatten", [input], ["mode": .choice("CHANNEL_FIRST")])
    }
    let shape = try dimensions(type)
    guard axes == .images else { return try reshape(input, shape) }
    return try add(
      "reshape", [input],
      ["targetShape": .integers(Array(shape.dropFirst())), "mode": .choice("CHANNEL_FIRST")])
  }

  mutating func reshape(_ input: String, _ shape: [Int]) throws(WeighbridgeError) -> String {
    guard shape.count <= Self.maximumRank else {
      throw .unsupported(
        "becomes arrays of \(shape.count.counted("axis")) on the way, and Core ML can have 5")
    }
    return try add(
      "reshapeStatic", [input], ["targetShape": .integers(shape.isEmpty ? [1] : shape)])
  }

  /// Adds a slice along some axes.
  ///
  /// - Parameter ranges: The first element, the number of elements and the step, by axis.
  mutating func slice(
    _ input: String, rank: Int, _ ranges: [Int: (start: Int, count: Int, step: Int)]
  ) throws(WeighbridgeError) -> String {
    let axes = 0..<rank
    let ends = axes.map { axis in
      ranges[axis].map { $0.start + $0.count * $0.step } ?? 0
    }
    return try add(
      "sliceStatic", [input],
      [
        "beginIds": .integers(axes.map { ranges[$0]?.start ?? 0 }),
        "beginMasks": .booleans(axes.map { ranges[$0] == nil }), "endIds": .integers(ends),
        // An end before the first element can only be expressed by the mask.
        "endMasks": .booleans(axes.map { ranges[$0] == nil || ends[$0] < 0 }),
        "strides": .integers(axes.map { ranges[$0]?.step ?? 1 }),
        "squeezeMasks": .booleans(axes.map { _ in false }),
      ])
  }

  mutating func slice(
    _ input: String, rank: Int, axis: Int, _ range: Range<Int>
  ) throws(WeighbridgeError) -> String {
    try slice(input, rank: rank, [axis: (range.lowerBound, range.count, 1)])
  }

  mutating func concatenate(
    _ inputs: [String], axis: Int
  ) throws(WeighbridgeError) -> String {
    guard inputs.count > 1 else { return inputs[0] }
    guard axes == .images else {
      return try add("concatND", inputs, ["axis": .integer(axis)])
    }
    guard axis == 1 else { throw Self.needsExactAxes("putting inputs together along axis \(axis)") }
    return try add("concat", inputs)
  }

  /// Splits a value along an axis.
  mutating func split(
    _ input: String, axis: Int, _ sizes: [Int]
  ) throws(WeighbridgeError) -> [String] {
    guard axes == .images else {
      return try add(
        "splitND", [input],
        [
          "axis": .integer(axis), "numSplits": .integer(sizes.count),
          "splitSizes": .integers(sizes),
        ], outputCount: sizes.count)
    }
    guard axis == 1, Set(sizes).count == 1 else {
      throw Self.needsExactAxes("cutting into \(sizes) along axis \(axis)")
    }
    return try add(
      "split", [input], ["nOutputs": .integer(sizes.count)], outputCount: sizes.count)
  }

  /// Gathers elements along an axis at constant indices.
  mutating func gather(
    _ input: String, axis: Int, _ indices: [Int]
  ) throws(WeighbridgeError) -> String {
    try add(
      "gather", [input, try numbers(indices.map(Double.init))], ["axis": .integer(axis)])
  }

  /// Multiplies matrices along the last two axes.
  mutating func matrixProduct(
    _ first: String, _ second: String, transposeA: Bool = false, transposeB: Bool = false
  ) throws(WeighbridgeError) -> String {
    try add(
      "batchedMatmul", [first, second],
      ["transposeA": .boolean(transposeA), "transposeB": .boolean(transposeB)])
  }

  /// Returns the dimensions of a type.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` when one is known only when the model runs.
  func dimensions(_ type: TensorType) throws(WeighbridgeError) -> [Int] {
    guard let shape = type.fixedShape else {
      throw .unsupported(
        "takes the sizes \(type.shape), and only known sizes can be written for Core ML")
    }
    return shape
  }

  /// Adds a weight as a constant of `rank` axes that broadcasts: the weight's axes become the given
  /// ones, and the others have size 1.
  mutating func broadcastableWeight(
    _ position: Int, along axes: [Int], rank: Int
  ) throws(WeighbridgeError) -> String {
    let tensor = try tensor(position)
    var shape = [Int](repeating: 1, count: rank)
    for (axis, dimension) in zip(axes, tensor.shape) { shape[axis] = dimension }
    return try constant(tensor.reshaped(shape))
  }

  /// Adds an einsum as a batched matrix product: axes in both factors and the result are batch
  /// axes, and the others are merged so that the factors become matrices.
  mutating func einsum(
    _ first: (name: String, type: TensorType, letters: [Character]),
    _ second: (name: String, type: TensorType, letters: [Character]), to result: [Character]
  ) throws(WeighbridgeError) -> String {
    var dimensions: [Character: Int] = [:]
    for factor in [first, second] {
      for (letter, dimension) in zip(factor.letters, try self.dimensions(factor.type)) {
        dimensions[letter] = max(dimension, dimensions[letter] ?? 1)
      }
    }
    let shared = first.letters.filter { second.letters.contains($0) }
    let batch = shared.filter { result.contains($0) }
    let contracted = shared.filter { !result.contains($0) }
    let free = [first, second].map { $0.letters.filter { !shared.contains($0) } }
    let lhs = try matrices(first, [batch, free[0], contracted], dimensions)
    let rhs = try matrices(second, [batch, contracted, free[1]], dimensions)
    let productLetters = batch + free[0] + free[1]
    guard Set(productLetters) == Set(result) else {
      throw WeighbridgeError(
        .unsupported,
        "sums over an axis that one factor alone has, and Core ML can sum over axes of both only")
    }
    let product = try matrixProduct(lhs, rhs)
    let unmerged = try reshape(product, productLetters.map { dimensions[$0] ?? 1 })
    return try transpose(unmerged, result.map { productLetters.firstIndex(of: $0) ?? 0 })
  }

  /// Transposes a factor and merges each group of its axes into one.
  private mutating func matrices(
    _ factor: (name: String, type: TensorType, letters: [Character]), _ groups: [[Character]],
    _ dimensions: [Character: Int]
  ) throws(WeighbridgeError) -> String {
    let order = groups.flatMap { $0 }.map { factor.letters.firstIndex(of: $0) ?? 0 }
    let transposed = try transpose(factor.name, order)
    return try reshape(transposed, groups.map { $0.reduce(1) { $0 * (dimensions[$1] ?? 1) } })
  }
}
