import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import TFLiteFormat
import TensorEncoding

/// Operators that change how numbers are stored.
enum TFLiteQuantizing {
  static let nodes: [String: TFLiteReading] = [
    "DEQUANTIZE": TFLiteReading { (layer) throws(WeighbridgeError) in
      let input = try layer.input()
      guard layer.type(input).elementType == .float16 else { return [try layer.real()] }
      if let weight = try layer.widened(input) { return [weight] }
      return [try layer.apply(Cast(to: .float32), to: input)]
    },
    "FAKE_QUANT": TFLiteReading(options: 58) { (layer) throws(WeighbridgeError) in
      [try layer.rounded()]
    },
    "QUANTIZE": TFLiteReading { (layer) throws(WeighbridgeError) in
      layer.rounding = .awayFromZero
      layer.computesReals = true
      return [try layer.real()]
    },
  ]
}

extension TFLiteLayer {
  /// Returns a weight of 16 bits as one of 32 that stays stored in 16; `nil` for other values.
  fileprivate func widened(_ value: SourceValue) throws(WeighbridgeError) -> SourceValue? {
    guard case .constant(let name, let tensor) = value, tensor.isContiguous else { return nil }
    let elements = EncodedElements(
      .half(.float16), .float32, shape: tensor.shape, store: tensor.store,
      range: tensor.offset..<tensor.offset + tensor.byteCount)
    let suffix = "/float16"
    let stem = name.hasSuffix(suffix) ? String(name.dropLast(suffix.count)) : name
    return .constant(stem, try Tensor(elements))
  }

  /// Rounds numbers to steps between two bounds, as in training for integers.
  fileprivate mutating func rounded() throws(WeighbridgeError) -> SourceValue {
    let (minimum, maximum) = (try float(0), try float(1))
    let (bits, isNarrow) = (try integer(2), try flag(3))
    guard (2...16).contains(bits), minimum <= 0, maximum >= 0, maximum > minimum else {
      throw malformed("rounds to \(bits) bits from \(minimum) to \(maximum), which must include 0")
    }
    let (first, last) = (isNarrow ? 1.0 : 0, Double(1 << bits - 1))
    let scale = (maximum - minimum) / (last - first)
    let zero = min(max((first - minimum / scale).rounded(.toNearestOrAwayFromZero), first), last)
    let input = try real()
    let bounded = try apply(
      Clip(minimum: (first - zero) * scale, maximum: (last - zero) * scale), to: input,
      role: "bounded")
    let size = number(scale, like: input, "scale")
    let steps = try apply(BinaryMath(.divide), to: bounded, size, role: "steps")
    return try apply(Multiply(), to: try roundedAway(steps, "steps"), size)
  }
}
