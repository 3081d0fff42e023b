import Bytes
import GraphIR
import LayerCatalog

/// Weights of four bits (Keras 3.14 and later): matrices of integers from -8 to 7, of which two
/// neighbors share a byte of the file.
extension KerasLayer {
  /// Unpacks a matrix that is the layer's next weight, two integers per byte.
  mutating func int4Matrix(
    _ role: String, rows: Int, columns: Int
  ) throws(WeighbridgeError) -> ValueID {
    let (bytes, isOdd) = columns.quotientAndRemainder(dividingBy: 2)
    let packed = try weight(
      role, shape: [rows, bytes + isOdd], isTrainable: false, storedAs: .int8)
    // The first number has the lower bits: (p + 8) mod 16 - 8.
    let sixteen = try number("\(role)_sixteen", 16, like: packed)
    var low = try add(Rescaling(scale: [1], offset: [8]), [packed], role: "\(role)_raised")
    low = try add(BinaryMath(.floorModulo), low + [sixteen], role: "\(role)_low_bits")
    low = try add(Rescaling(scale: [1], offset: [-8]), low, role: "\(role)_low")
    var high = try add(
      Rescaling(scale: [0.0625], offset: [0]), [packed], role: "\(role)_sixteenths")
    high = try add(UnaryMath(.floor), high, role: "\(role)_high")
    var pairs: [ValueID] = []
    for (half, name) in [(low, "low"), (high, "high")] {
      pairs += try add(ExpandDims(axes: [2]), half, role: "\(role)_\(name)_column")
    }
    let joined = try add(Concatenate(axis: 2), pairs, role: "\(role)_pairs")
    let all = try add(
      ReshapeAxes([.fixed(rows), .fixed(2 * (bytes + isOdd))]), joined, role: "\(role)_numbers")
    guard isOdd == 1 else { return all[0] }
    let withoutPadding = Slice([Slice.Range(axis: 1, start: 0, stop: columns, step: 1)])
    return try add(withoutPadding, all, role: "\(role)_own_numbers")[0]
  }

  /// Dequantizes integers in groups: subtracts the group's zero point and multiplies by its scale.
  /// Both are among the layer's next weights, followed by the group of each index of the axis.
  ///
  /// - Parameter axis: The axis that is divided into groups.
  mutating func dequantized(
    _ integers: ValueID, _ role: String, axis: Int, _ quantization: KerasQuantization
  ) throws(WeighbridgeError) -> ValueID {
    let dimensions = graph.type(of: integers).shape.compactMap(\.value)
    guard dimensions.count == 2, let size = quantization.groupSize, size >= 1 else {
      throw .malformed("has no groups of numbers")
    }
    var shape = dimensions
    shape[axis] = (dimensions[axis] - 1) / size + 1
    let scale = try weight("\(role)_scale", shape: shape, isTrainable: false)
    let zero = try weight("\(role)_zero", shape: shape, isTrainable: false, storedAs: .int8)
    let written = try weight("\(role)_groups", shape: [dimensions[axis]], isTrainable: false)
    let groups = try cast(written, to: .int32, role: "\(role)_group_indices")
    let gather = Gather(axis: axis)
    let zeros = try add(gather, [zero, groups], role: "\(role)_zeros")
    let scales = try add(gather, [scale, groups], role: "\(role)_scales")
    let moved = try add(Subtract(), [integers] + zeros, role: "\(role)_moved")
    return try add(Multiply(), moved + scales, role: "\(role)_values")[0]
  }
}

/// Quantized layers of Keras 3: products of integers divided by the scales, or products with a
/// kernel that was quantized in groups.
extension Dense {
  /// Adds a quantized `Dense` without its activation.
  static func addQuantized(
    _ quantization: KerasQuantization, to layer: inout KerasLayer, _ input: ValueID,
    features: Int, units: Int, hasBias: Bool
  ) throws(WeighbridgeError) -> ValueID {
    try layer.orderQuantizedWeights("kernel", quantization, hasBias: hasBias)
    let rank = layer.graph.type(of: input).rank
    let aligned = [Int](repeating: 1, count: rank - 1) + [units]
    let integers =
      quantization.isInt4
      ? try layer.int4Matrix("kernel", rows: features, columns: units)
      : try layer.weight(
        "kernel", shape: [features, units], isTrainable: false, storedAs: .int8)
    let bias = hasBias ? try layer.weight("bias", shape: [units]) { $0.reshaped(aligned) } : nil
    guard quantization.groupSize == nil else {
      let matrix = try layer.dequantized(integers, "kernel", axis: 0, quantization)
      let kernel = try layer.add(Transpose(axes: [1, 0]), [matrix], role: "transposed_kernel")
      let product = try layer.add(
        Dense(hasBias: false), [input] + kernel, role: bias == nil ? "" : "product")
      guard let bias else { return product[0] }
      return try layer.add(Add(), product + [bias])[0]
    }
    let kernelScale = try layer.weight("kernel_scale", shape: [units], isTrainable: false) {
      $0.reshaped(aligned)
    }
    var (elements, scales) = (input, [kernelScale])
    if let quantizer = quantization.input {
      let quantized = try layer.quantize(input, along: [rank - 1], quantizer)
      elements = quantized.numbers
      scales.append(quantized.scale)
    }
    let kernel = try layer.add(Transpose(axes: [1, 0]), [integers], role: "transposed_kernel")
    let product = try layer.add(Dense(hasBias: false), [elements] + kernel, role: "product")
    return try layer.descale(product[0], scales: scales, bias: bias)
  }
}

extension Embedding {
  /// Adds a quantized `Embedding`.
  func addQuantized(
    _ quantization: KerasQuantization, to layer: inout KerasLayer, _ input: ValueID, shape: [Int]
  ) throws(WeighbridgeError) -> ValueID {
    try layer.orderQuantizedWeights("embeddings", quantization, hasBias: false)
    let integers =
      quantization.isInt4
      ? try layer.int4Matrix("table", rows: shape[0], columns: shape[1])
      : try layer.weight("table", shape: shape, isTrainable: false, storedAs: .int8)
    guard quantization.groupSize == nil else {
      let table = try layer.dequantized(integers, "table", axis: 1, quantization)
      return try layer.add(self, [input, table])[0]
    }
    let scale = try layer.weight("table_scale", shape: [shape[0]], isTrainable: false) {
      $0.reshaped([shape[0], 1])
    }
    let vectors = try layer.add(self, [input, integers], role: "numbers")
    let scales = try layer.add(self, [input, scale], role: "scales")
    return try layer.descale(vectors[0], scales: scales, bias: nil)
  }
}
