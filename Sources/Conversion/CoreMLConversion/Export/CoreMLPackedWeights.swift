import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR

/// Integers of 1 to 8 bits as Core ML stores them: unsigned, packed from the most significant bit
/// of the first byte.
struct CoreMLPackedWeights {
  /// The packed integers, uint8 with one axis.
  let bytes: Tensor
  let meaning: CoreMLQuantization

  /// - Parameter hasChannels: Whether each index of the first axis may have a scale.
  /// - Returns: `nil` when Core ML cannot represent the integers.
  init?(_ weight: QuantizedWeight, hasChannels: Bool) {
    let bits = weight.bits
    guard bits <= 8 else { return nil }
    // The lowest signed number becomes 0.
    let signOffset = weight.integers.elementType == .int8 ? 1 << (bits - 1) : 0
    switch weight.dequantization {
    case .blocks: return nil
    case .table(let table): meaning = .lookupTable(table.map(Double.init))
    case .linear(let line):
      guard line.axis == nil || line.axis == 0 && hasChannels else { return nil }
      let biases = line.scales.indices.map { index in
        let zeroPoint = line.zeroPoints.isEmpty ? 0 : Double(line.zeroPoints[index])
        let offset = line.offsets.isEmpty ? 0 : Double(line.offsets[index])
        return offset - (zeroPoint + Double(signOffset)) * Double(line.scales[index])
      }
      meaning = .linear(
        scales: line.scales.map(Double.init), biases: biases.contains { $0 != 0 } ? biases : [])
    }
    let codes = weight.integers.contiguousBytes()
    var packed: [UInt8] = []
    packed.reserveCapacity((codes.count * bits + 7) / 8)
    var (pending, pendingBits) = (UInt32(0), 0)
    for code in codes {
      let unsigned = UInt32(truncatingIfNeeded: Int(Int8(bitPattern: code)) + signOffset)
      pending = pending << UInt32(bits) | unsigned & (1 << UInt32(bits) - 1)
      pendingBits += bits
      if pendingBits >= 8 {
        pendingBits -= 8
        packed.append(UInt8(truncatingIfNeeded: pending >> UInt32(pendingBits)))
      }
    }
    if pendingBits > 0 {
      packed.append(UInt8(truncatingIfNeeded: pending << UInt32(8 - pendingBits)))
    }
    bytes = Tensor(.uint8, shape: [packed.count], bytes: packed)
  }
}
