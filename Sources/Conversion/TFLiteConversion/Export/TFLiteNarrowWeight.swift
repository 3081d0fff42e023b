import Bytes
import ConversionCore
import GraphIR
import TFLiteFormat

/// A weight in a form with fewer bits, from which `DEQUANTIZE` makes the same numbers (or, if
/// half precision was asked for, the nearest ones) before the model first runs.
struct TFLiteNarrowWeight {
  let tensor: Tensor
  /// int8, int16 or float16.
  let type: ElementType
  /// What makes numbers of integers.
  let quantization: TFLiteQuantization?

  /// - Returns: `nil` when there is no such form.
  init?(_ weight: Tensor, _ precision: ExportPrecision) {
    let isMatrix = weight.shape.count { $0 > 1 } > 1
    if weight.elementType == .float16, isMatrix {
      (tensor, type, quantization) = (weight, .float16, nil)
      return
    }
    guard weight.elementType == .float32 else { return nil }
    if let quantized = weight.quantized, let integers = Self(quantized) {
      self = integers
      return
    }
    // Vectors are biases and factors of normalizations, whose errors add up: they stay exact.
    guard isMatrix && precision == .float16 || weight.storedHalfType == .float16 else { return nil }
    (tensor, type, quantization) = (weight, .float16, nil)
  }

  /// Integers of a line through 0; unsigned ones become signed.
  private init?(_ weight: QuantizedWeight) {
    guard case .linear(let line) = weight.dequantization, line.offsets.isEmpty else { return nil }
    let type = weight.integers.elementType
    guard type != .int16 || (line.axis == nil && line.zeroPoints.isEmpty) else { return nil }
    let shift = type == .uint8 ? 128 : 0
    let stored =
      line.zeroPoints.isEmpty ? line.scales.map { _ in 0 } : line.zeroPoints.map(Int.init)
    let zeroPoints = stored.map { $0 - shift }
    guard zeroPoints.allSatisfy({ Int8(exactly: $0) != nil }) else { return nil }
    tensor =
      shift == 0
      ? weight.integers
      : Tensor(
        .int8, shape: weight.integers.shape,
        bytes: weight.integers.contiguousBytes().map { $0 ^ 128 })
    self.type = shift == 0 ? type : .int8
    quantization = TFLiteQuantization(
      scales: line.scales, zeroPoints: zeroPoints, axis: line.axis ?? 0)
  }
}
