import Bytes
import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog
import ProtobufWire

extension CoreMLLayerImport {
  /// Reads the weights in a setting, as float32 whatever their stored type.
  ///
  /// - Parameters:
  ///   - shape: The shape that the other settings require.
  ///   - outputAxis: The axis along which quantized weights may have several scales.
  /// - Throws: ``WeighbridgeError/Code/malformed`` when the weights do not fill the shape.
  mutating func tensor(
    _ name: String, in settings: ProtobufRecord? = nil, shape: [Int], outputAxis: Int = 0
  ) throws(WeighbridgeError) -> Tensor {
    guard let record = settings?.record(name) ?? (settings == nil ? record(name) : nil) else {
      throw malformed("has no \(name), and needs it")
    }
    let count = try Checked.product(shape, of: "the size of \(name)")
    let weights = try CoreMLWeights(record)
    do throws(WeighbridgeError) {
      switch weights.encoding {
      case .float32:
        return try Tensor(.float32, shape: shape, store: store, range: weights.byteRange.range)
      case .float16:
        let half = try Tensor(.float16, shape: shape, store: store, range: weights.byteRange.range)
        return Tensor(.float32, shape: shape, half.doubles)
      case .quantized(let bits, let meaning):
        let codes = try CoreMLCodes(bits: bits, count: count, store, weights.byteRange.range)
        return try codes.weight(meaning, shape: shape, outputAxis: outputAxis)
      case .int8:
        throw unsupported(
          "is stored as int8RawValue, for a product of whole numbers, and products of floating-point "
            + "numbers can be read")
      }
    } catch { throw WeighbridgeError(error.code, "\(name): \(error.reason)") }
  }

  /// Adds the weights in a setting as a weight of the graph.
  mutating func weight(
    _ role: String, _ name: String, shape: [Int], outputAxis: Int = 0
  ) throws(WeighbridgeError) -> ValueID {
    let tensor = try tensor(name, shape: shape, outputAxis: outputAxis)
    return try addWeight(role, tensor)
  }
}

/// Quantized weights: codes of 1 to 8 bits, packed from the most significant bit of the first byte.
private struct CoreMLCodes {
  private let codes: [UInt8]
  private let bits: Int

  init(
    bits: Int, count: Int, _ store: ByteStore, _ range: Range<Int>
  ) throws(WeighbridgeError) {
    let bitCount = try Checked.product([count, bits], of: "its size in bits")
    guard range.count == (bitCount + 7) / 8 else {
      throw .malformed("\(range.count) bytes do not hold \(count) numbers of \(bits) bits")
    }
    let bytes = store.withBytes { $0.copied(range) }
    let mask = UInt16(1 << bits - 1)
    codes = (0..<count).map { position in
      let start = position * bits
      let (byte, shift) = (start / 8, 16 - bits - start % 8)
      let pair = UInt16(bytes[byte]) << 8 | (byte + 1 < bytes.count ? UInt16(bytes[byte + 1]) : 0)
      return UInt8(truncatingIfNeeded: pair >> shift & mask)
    }
    self.bits = bits
  }

  /// Returns the weight that the codes represent, keeping the codes.
  func weight(
    _ quantization: CoreMLQuantization, shape: [Int], outputAxis: Int
  ) throws(WeighbridgeError) -> Tensor {
    let meaning = try self.meaning(quantization, shape: shape, outputAxis: outputAxis)
    let integers = Tensor(.uint8, shape: shape, bytes: codes)
    let weight = QuantizedWeight(integers, bits: bits, meaning)
    if let encoded = weight.encoded { return try Tensor(encoded) }
    // One-bit codes with linear scales have no encoding, so they are decoded.
    guard case .linear(let line) = meaning else { return Tensor(.float32, shape: shape, []) }
    let innerCount = line.axis.map { shape[($0 + 1)...].reduce(1, *) } ?? codes.count
    return Tensor(
      .float32, shape: shape,
      codes.enumerated().map { position, code in
        let channel = position / max(innerCount, 1) % line.scales.count
        return Double(
          Float(code) * line.scales[channel] + (line.offsets.isEmpty ? 0 : line.offsets[channel]))
      })
  }

  private func meaning(
    _ quantization: CoreMLQuantization, shape: [Int], outputAxis: Int
  ) throws(WeighbridgeError) -> QuantizedWeight.Dequantization {
    switch quantization {
    case .lookupTable(let table):
      guard table.count == 1 << bits else {
        throw .malformed(
          "has a table of \(table.count.counted("number")), expected \(1 << bits) for \(bits) bits")
      }
      return .table(table.map { Float($0) })
    case .linear(let scales, let biases):
      let channels = shape[outputAxis]
      guard [1, channels].contains(scales.count), [0, 1, channels].contains(biases.count) else {
        throw .malformed(
          "has \(scales.count) scales and \(biases.count) biases, expected 1 or \(channels) scales "
            + "and as many biases or none")
      }
      return .linear(
        QuantizedWeight.LinearParameters(
          scales: scales.map { Float($0) }, offsets: biases.map { Float($0) }, axis: outputAxis))
    }
  }
}
