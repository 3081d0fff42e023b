import Bytes
import GraphIR
import LayerCatalog

/// Quantized products along any axes.
extension KerasLayer {
  /// Adds a quantized `EinsumDense` without its activation.
  ///
  /// - Parameters:
  ///   - product: The product, without a bias.
  ///   - kernelShape: The kernel's shape, in the equation's order, which `order` permutes to the
  ///     product's.
  ///   - scaleShape: The shape of the factors, one for each index of the output's axes that the
  ///     kernel has.
  ///   - bias: Adds the bias, if there is one, with the output's axes.
  mutating func addQuantizedEinsum(
    _ quantization: KerasQuantization, _ product: EinsumDense, _ equation: EinsumEquation,
    _ input: ValueID, kernelShape: [Int], order: [Int], scaleShape: [Int],
    bias: (inout KerasLayer) throws(WeighbridgeError) -> ValueID?
  ) throws(WeighbridgeError) -> ValueID {
    var (kernel, scales, vector): (ValueID, [ValueID], ValueID?)
    if quantization.isInt4 {
      (kernel, vector) = try int4Kernel(quantization, equation, kernelShape, bias: bias)
      kernel = try add(Transpose(axes: order), [kernel], role: "turned_kernel")[0]
      scales = []
    } else {
      kernel = try weight("kernel", shape: kernelShape, isTrained: false, storedAs: .int8) {
        $0.permuted(order)
      }
      vector = try bias(&self)
      scales = [try weight("kernel_scale", shape: scaleShape, isTrained: false)]
    }
    var numbers = input
    if let quantizer = quantization.input, quantization.groupSize == nil {
      let summed = equation.input.indices.filter {
        !equation.output.contains(equation.input[$0])
      }
      let quantized = try quantize(input, along: summed, quantizer)
      numbers = quantized.numbers
      scales.append(try aligned(quantized.scale, summed: summed, equation))
    }
    let output = try add(product, [numbers, kernel], role: "product")
    return try descale(output[0], scales: scales, bias: vector)
  }

  /// Adds the kernel of a 4-bit layer, and the bias, whose weight is between the kernel's.
  ///
  /// Keras stores it as a matrix with a row for each index of the axes that are summed over.
  private mutating func int4Kernel(
    _ quantization: KerasQuantization, _ equation: EinsumEquation, _ shape: [Int],
    bias: (inout KerasLayer) throws(WeighbridgeError) -> ValueID?
  ) throws(WeighbridgeError) -> (kernel: ValueID, bias: ValueID?) {
    let isSummed = equation.kernel.map { !equation.output.contains($0) }
    let rows = zip(shape, isSummed).reduce(1) { $1.1 ? $0 * $1.0 : $0 }
    let columns = zip(shape, isSummed).reduce(1) { $1.1 ? $0 : $0 * $1.0 }
    let numbers = try int4Matrix("kernel", rows: rows, columns: columns)
    let vector = try bias(&self)
    let matrix: ValueID
    if quantization.groupSize != nil {
      matrix = try dequantized(numbers, "kernel", axis: 0, quantization)
    } else {
      let scale = try weight("kernel_scale", shape: [columns], isTrained: false) {
        $0.reshaped([1, columns])
      }
      matrix = try add(BinaryMath(.divide), [numbers, scale], role: "kernel_values")[0]
    }
    let kernel = try add(ReshapeAxes(shape.map { .fixed($0) }), [matrix], role: "kernel_axes")
    return (kernel[0], vector)
  }

  /// Converts factors from the input's axes, where those summed over have size 1, to the output's
  /// axes.
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
