import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import TFLiteFormat

/// Nodes that are computed with 8-bit integers: the input is rounded to what its integers represent,
/// and so are the weights.
extension TFLiteBuilder {
  mutating func emit(
    _ step: ExportStep<ExportOperand>
  ) throws(WeighbridgeError) -> [ExportOperand] {
    var inputs = step.inputs[0]
    let operation = step.node.operation
    if let quantization = step.node.quantization,
      case .integers(let integers) = quantization.elements
    {
      scope.prefix = step.node.name
      let position = quantization.input
      inputs[position] = try rounded(inputs[position], TFLiteQuantization(integers))
      if let operation = operation as? any QuantizableOperator, let kernel = inputs[1].constant {
        let rounded = try Self.rounded(kernel, transposedGroups: operation.transposedGroups)
        inputs[1] = .weight(rounded, named: inputs[1].name)
      }
    }
    return try apply(operation, named: step.node.name, inputs, isUsed: step.isUsed)
  }

  /// A value as its integers represent it.
  private mutating func rounded(
    _ x: ExportOperand, _ quantization: TFLiteQuantization
  ) throws(WeighbridgeError) -> ExportOperand {
    if let known = roundedValues[x.name]?[quantization] { return known }
    let integers = try add(.quantize, x, as: TensorType(.int8, x.type.shape))
    quantizations[integers.name] = quantization
    let result = try add(.dequantize, integers, as: x.type)
    roundedValues[x.name, default: [:]][quantization] = result
    return result
  }

  /// A kernel in integers with a scale for each output channel.
  private static func rounded(
    _ kernel: Tensor, transposedGroups: Int?
  ) throws(WeighbridgeError) -> Tensor {
    let axis = transposedGroups == nil ? 0 : 1
    guard transposedGroups ?? 1 == 1 else {
      throw WeighbridgeError.unsupported(
        "is a transposed convolution with \(transposedGroups ?? 1) groups, computed with 8-bit "
          + "integers; TFLite has one scale for each index of an axis of its kernel, so compact it "
          + "without int8 activations")
    }
    let channels = QuantizedChannels(kernel, transposedGroups: transposedGroups)
    let integers = Tensor(
      .int8, shape: kernel.shape, bytes: channels.integers.map { UInt8(bitPattern: $0) })
    let weight = QuantizedWeight(
      integers, bits: 8,
      .linear(QuantizedWeight.LinearParameters(scales: channels.scales, axis: axis)))
    guard let elements = weight.encoded else { return kernel }
    return try Tensor(elements)
  }
}

extension TFLiteQuantization {
  /// Unsigned integers become signed ones.
  fileprivate init(_ integers: IntegerQuantization) {
    self.init(scales: [integers.scale], zeroPoints: [Int(integers.zeroPoint) - 128], axis: 0)
  }
}
