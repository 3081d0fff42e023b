import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR

/// Integers of 1 to 8 bits as Core ML stores them: unsigned, from the highest bit of the first byte
/// on.
struct CoreMLPackedWeights {
  /// The packed integers, uint8 with one axis.
  let bytes: Tensor
  let meaning: CoreMLQuantization

  /// - Parameter hasChannels: Whether each index of the first axis may have a scale.
  /// - Returns: `nil` when Core ML has no form for the integers.
  init?(_ weight: QuantizedWeight, hasChannels: Bool) {
    let bits = weight.bits
    guard bits <= 8 else { return nil }
    // The lowest signed number becomes 0.
    let lift = weight.integers.elementType == .int8 ? 1 << (bits - 1) : 0
    switch weight.meaning {
    case .blocks: return nil
    case .table(let table): meaning = .lookUp(table.map(Double.init))
    case .linear(let line):
      guard line.axis == nil || line.axis == 0 && hasChannels else { return nil }
      let biases = line.scales.indices.map { index in
        let zero = line.zeroPoints.isEmpty ? 0 : Double(line.zeroPoints[index])
        let offset = line.offsets.isEmpty ? 0 : Double(line.offsets[index])
        return offset - (zero + Double(lift)) * Double(line.scales[index])
      }
      meaning = .linear(
        scales: line.scales.map(Double.init), biases: biases.contains { $0 != 0 } ? biases : [])
    }
    let codes = weight.integers.contiguousBytes()
    var packed: [UInt8] = []
    packed.reserveCapacity((codes.count * bits + 7) / 8)
    var (pending, count) = (UInt32(0), 0)
    for code in codes {
      let lifted = UInt32(truncatingIfNeeded: Int(Int8(bitPattern: code)) + lift)
      pending = pending << UInt32(bits) | lifted & (1 << UInt32(bits) - 1)
      count += bits
      if count >= 8 {
        count -= 8
        packed.append(UInt8(truncatingIfNeeded: pending >> UInt32(count)))
      }
    }
    if count > 0 { packed.append(UInt8(truncatingIfNeeded: pending << UInt32(8 - count))) }
    bytes = Tensor(.uint8, shape: [packed.count], bytes: packed)
  }
}
