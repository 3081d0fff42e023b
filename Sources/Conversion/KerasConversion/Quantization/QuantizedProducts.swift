import Bytes
import GraphIR
import LayerCatalog

/// What quantized layers of Keras 3 become: products of whole numbers, divided by the factors, or
/// products with a kernel that is made of whole numbers in groups.
extension Dense {
  /// Adds a quantized `Dense` without its activation.
  static func addQuantized(
    _ quantization: KerasQuantization, to layer: inout KerasLayer, _ input: ValueID,
    features: Int, units: Int, hasBias: Bool
  ) throws(WeighbridgeError) -> ValueID {
    try layer.orderQuantizedWeights("kernel", quantization, hasBias: hasBias)
    let rank = layer.graph.type(of: input).rank
    let aligned = [Int](repeating: 1, count: rank - 1) + [units]
    let numbers =
      quantization.isInt4
      ? try layer.int4Matrix("kernel", rows: features, columns: units)
      : try layer.weight(
        "kernel", shape: [features, units], isTrained: false, storedAs: .int8)
    let bias = hasBias ? try layer.weight("bias", shape: [units]) { $0.reshaped(aligned) } : nil
    guard quantization.groupSize == nil else {
      let matrix = try layer.dequantized(numbers, "kernel", axis: 0, quantization)
      let kernel = try layer.add(Transpose(axes: [1, 0]), [matrix], role: "turned_kernel")
      let product = try layer.add(
        Dense(hasBias: false), [input] + kernel, role: bias == nil ? "" : "product")
      guard let bias else { return product[0] }
      return try layer.add(Add(), product + [bias])[0]
    }
    let kernelScale = try layer.weight("kernel_scale", shape: [units], isTrained: false) {
      $0.reshaped(aligned)
    }
    var (elements, scales) = (input, [kernelScale])
    if let quantizer = quantization.input {
      let quantized = try layer.quantize(input, along: [rank - 1], quantizer)
      elements = quantized.numbers
      scales.append(quantized.scale)
    }
    let kernel = try layer.add(Transpose(axes: [1, 0]), [numbers], role: "turned_kernel")
    let product = try layer.add(Dense(hasBias: false), [elements] + kernel, role: "product")
    return try layer.descale(product[0], scales: scales, bias: bias)
  }
}

extension Embedding {
  /// Adds a quantized `Embedding`.
  static func addQuantized(
    _ quantization: KerasQuantization, to layer: inout KerasLayer, _ input: ValueID, shape: [Int]
  ) throws(WeighbridgeError) -> ValueID {
    try layer.orderQuantizedWeights("embeddings", quantization, hasBias: false)
    let numbers =
      quantization.isInt4
      ? try layer.int4Matrix("table", rows: shape[0], columns: shape[1])
      : try layer.weight("table", shape: shape, isTrained: false, storedAs: .int8)
    guard quantization.groupSize == nil else {
      let table = try layer.dequantized(numbers, "table", axis: 1, quantization)
      return try layer.add(Embedding(), [input, table])[0]
    }
    let scale = try layer.weight("table_scale", shape: [shape[0]], isTrained: false) {
      $0.reshaped([shape[0], 1])
    }
    let vectors = try layer.add(Embedding(), [input, numbers], role: "numbers")
    let scales = try layer.add(Embedding(), [input, scale], role: "scales")
    return try layer.descale(vectors[0], scales: scales, bias: nil)
  }
}
