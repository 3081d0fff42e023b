package import ProtobufWire

/// The weights of a layer: their encoding and location.
package struct CoreMLWeights: Hashable, Sendable {
  /// The encoding of a weight.
  package enum Encoding: Hashable, Sendable {
    case float32
    case float16
    /// Integers of 1 to 8 bits, packed starting with the highest bit of the first byte.
    case quantized(bits: Int, CoreMLQuantization)
    /// Signed bytes with which the layer computes directly.
    case int8(CoreMLQuantization)
  }

  /// The encoding of the weights.
  package var encoding: Encoding
  /// The location of the bytes.
  package var byteRange: ProtobufByteRange
  /// Whether training on the device changes them.
  package var isUpdatable: Bool

  /// The number of weights; if quantized, the maximum number that fits in the bytes.
  package var count: Int {
    switch encoding {
    case .float32: byteRange.byteCount / 4
    case .float16: byteRange.byteCount / 2
    case .quantized(let bits, _): byteRange.byteCount * 8 / bits
    case .int8: byteRange.byteCount
    }
  }

  /// Creates weights.
  package init(_ encoding: Encoding, at byteRange: ProtobufByteRange, isUpdatable: Bool = false) {
    self.encoding = encoding
    self.byteRange = byteRange
    self.isUpdatable = isUpdatable
  }
}

/// The parameters of quantized weights.
package enum CoreMLQuantization: Hashable, Sendable {
  /// q represents `scale * q + bias`, with one scale and bias for all or for each output channel.
  /// If `biases` is empty, they are 0.
  case linear(scales: [Double], biases: [Double])
  /// q represents element q of the table.
  case lookupTable([Double])
}
