import Bytes
import GraphIR

/// What quantized layers of Keras 3 become: products of whole numbers, divided by the factors.
extension Dense {
  /// Adds a quantized `Dense` without its activation.
  static func addQuantized(
    _ quantization: KerasQuantization, to layer: inout KerasLayer, _ input: ValueID,
    features: Int, units: Int, hasBias: Bool
  ) throws(WeighbridgeError) -> ValueID {
    try layer.orderQuantizedWeights(["kernel"] + (hasBias ? ["bias"] : []) + ["kernel_scale"])
    let rank = layer.graph.type(of: input).rank
    let aligned = [Int](repeating: 1, count: rank - 1) + [units]
    let kernel = try layer.weight(
      "kernel", shape: [features, units], isTrained: false, storedAs: .int8
    ) { $0.permuted([1, 0]) }
    let bias = hasBias ? try layer.weight("bias", shape: [units]) { $0.reshaped(aligned) } : nil
    let kernelScale = try layer.weight("kernel_scale", shape: [units], isTrained: false) {
      $0.reshaped(aligned)
    }
    var (numbers, scales) = (input, [kernelScale])
    if let quantizer = quantization.input {
      let quantized = try layer.quantize(input, along: [rank - 1], quantizer)
      numbers = quantized.numbers
      scales.append(quantized.scale)
    }
    let product = try layer.add(Dense(hasBias: false), [numbers, kernel], role: "product")
    return try layer.descale(product[0], scales: scales, bias: bias)
  }
}

extension Embedding {
  /// Adds a quantized `Embedding`.
  static func addQuantized(
    to layer: inout KerasLayer, _ input: ValueID, shape: [Int]
  ) throws(WeighbridgeError) -> ValueID {
    try layer.orderQuantizedWeights(["embeddings", "embeddings_scale"])
    let table = try layer.weight("table", shape: shape, isTrained: false, storedAs: .int8)
    let scale = try layer.weight("table_scale", shape: [shape[0]], isTrained: false) {
      $0.reshaped([shape[0], 1])
    }
    let numbers = try layer.add(Embedding(), [input, table], role: "numbers")
    let scales = try layer.add(Embedding(), [input, scale], role: "scales")
    return try layer.descale(numbers[0], scales: scales, bias: nil)
  }
}

extension KerasLayer {
  /// Adds a quantized `EinsumDense` without its activation.
  ///
  /// - Parameters:
  ///   - product: Without a bias.
  ///   - kernelScale: With the output's axes, like the bias.
  mutating func addQuantizedEinsum(
    _ quantization: KerasQuantization, _ product: EinsumDense, _ equation: EinsumEquation,
    _ input: ValueID, kernel: ValueID, kernelScale: ValueID, bias: ValueID?
  ) throws(WeighbridgeError) -> ValueID {
    var (numbers, scales) = (input, [kernelScale])
    if let quantizer = quantization.input {
      let summed = equation.input.indices.filter {
        !equation.output.contains(equation.input[$0])
      }
      let quantized = try quantize(input, along: summed, quantizer)
      numbers = quantized.numbers
      scales.append(try aligned(quantized.scale, summed: summed, equation))
    }
    let output = try add(product, [numbers, kernel], role: "product")
    return try descale(output[0], scales: scales, bias: bias)
  }

  /// Factors with the input's axes, of which those that are summed over have the extent 1, with the
  /// output's axes.
  private mutating func aligned(
    _ scale: ValueID, summed: [Int], _ equation: EinsumEquation
  ) throws(WeighbridgeError) -> ValueID {
    let kept = equation.output.compactMap { equation.input.firstIndex(of: $0) }
    let new = equation.output.indices.filter { !equation.input.contains(equation.output[$0]) }
    let turned = try add(Transpose(axes: kept + summed), [scale], role: "turned_scale")
    let last = Array(kept.count..<equation.input.count)
    let fewer = try add(Squeeze(axes: last), turned, role: "squeezed_scale")
    return try add(ExpandDims(axes: new), fewer, role: "aligned_scale")[0]
  }
}
