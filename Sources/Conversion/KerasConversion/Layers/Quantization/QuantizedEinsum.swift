import Bytes
import GraphIR
import LayerCatalog

/// Quantized products that contract any axes.
extension KerasLayer {
  /// Adds a quantized `EinsumDense` without its activation.
  ///
  /// - Parameters:
  ///   - product: The product, without a bias.
  ///   - kernelShape: The kernel's shape, in the equation's order, which `order` permutes to the
  ///     product's.
  ///   - scaleShape: The shape of the scales, one for each index of those axes of the output that
  ///     the kernel has.
  ///   - bias: Adds the bias, if there is one, with the output's axes.
  mutating func addQuantizedEinsum(
    _ quantization: KerasQuantization, _ product: EinsumDense, _ equation: EinsumEquation,
    _ input: ValueID, kernelShape: [Int], order: [Int], scaleShape: [Int],
    bias: (inout KerasLayer) throws(WeighbridgeError) -> ValueID?
  ) throws(WeighbridgeError) -> ValueID {
    var (kernel, scales, biasValue): (ValueID, [ValueID], ValueID?)
    if quantization.isInt4 {
      (kernel, biasValue) = try int4Kernel(quantization, equation, kernelShape, bias: bias)
      kernel = try add(Transpose(axes: order), [kernel], role: "transposed_kernel")[0]
      scales = []
    } else {
      kernel = try weight("kernel", shape: kernelShape, isTrainable: false, storedAs: .int8) {
        $0.permuted(order)
      }
      biasValue = try bias(&self)
      scales = [try weight("kernel_scale", shape: scaleShape, isTrainable: false)]
    }
    var numbers = input
    if let quantizer = quantization.input, quantization.groupSize == nil {
      let contracted = equation.input.indices.filter {
        !equation.output.contains(equation.input[$0])
      }
      let quantized = try quantize(input, along: contracted, quantizer)
      numbers = quantized.numbers
      scales.append(try aligned(quantized.scale, contracted: contracted, equation))
    }
    let output = try add(product, [numbers, kernel], role: "product")
    return try descale(output[0], scales: scales, bias: biasValue)
  }

  /// Adds the kernel of a 4-bit layer, and the bias, whose weight is between the kernel's.
  ///
  /// Keras stores it as a matrix with a row for each index of the contracted axes.
  private mutating func int4Kernel(
    _ quantization: KerasQuantization, _ equation: EinsumEquation, _ shape: [Int],
    bias: (inout KerasLayer) throws(WeighbridgeError) -> ValueID?
  ) throws(WeighbridgeError) -> (kernel: ValueID, bias: ValueID?) {
    let isContracted = equation.kernel.map { !equation.output.contains($0) }
    let rows = zip(shape, isContracted).reduce(1) { $1.1 ? $0 * $1.0 : $0 }
    let columns = zip(shape, isContracted).reduce(1) { $1.1 ? $0 : $0 * $1.0 }
    let numbers = try int4Matrix("kernel", rows: rows, columns: columns)
    let biasValue = try bias(&self)
    let matrix: ValueID
    if quantization.groupSize != nil {
      matrix = try dequantized(numbers, "kernel", axis: 0, quantization)
    } else {
      let scale = try weight("kernel_scale", shape: [columns], isTrainable: false) {
        $0.reshaped([1, columns])
      }
      matrix = try add(BinaryMath(.divide), [numbers, scale], role: "kernel_values")[0]
    }
    let kernel = try add(ReshapeAxes(shape.map { .fixed($0) }), [matrix], role: "kernel_axes")
    return (kernel[0], biasValue)
  }

  /// Converts scales from the input's axes, of which the contracted ones have size 1, to the
  /// output's axes.
  private mutating func aligned(
    _ scale: ValueID, contracted: [Int], _ equation: EinsumEquation
  ) throws(WeighbridgeError) -> ValueID {
    let kept = equation.output.compactMap { equation.input.firstIndex(of: $0) }
    let added = equation.output.indices.filter { !equation.input.contains(equation.output[$0]) }
    let transposed = try add(Transpose(axes: kept + contracted), [scale], role: "transposed_scale")
    let trailing = Array(kept.count..<equation.input.count)
    let squeezed = try add(Squeeze(axes: trailing), transposed, role: "squeezed_scale")
    return try add(ExpandDims(axes: added), squeezed, role: "aligned_scale")[0]
  }
}
