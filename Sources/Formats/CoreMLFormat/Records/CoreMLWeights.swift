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
  package var place: ProtobufPlace
  /// Whether training on the device changes them.
  package var isUpdatable: Bool

  /// The number of weights; for quantized ones, the largest number that fits in the bytes.
  package var count: Int {
    switch encoding {
    case .float32: place.byteCount / 4
    case .float16: place.byteCount / 2
    case .quantized(let bits, _): place.byteCount * 8 / bits
    case .int8: place.byteCount
    }
  }

  /// Makes weights.
  package init(_ encoding: Encoding, at place: ProtobufPlace, isUpdatable: Bool = false) {
    self.encoding = encoding
    self.place = place
    self.isUpdatable = isUpdatable
  }
}

/// The meaning of quantized weights.
package enum CoreMLQuantization: Hashable, Sendable {
  /// q represents `scale * q + bias`, with one scale and bias for all or for each output channel;
  /// no bias is 0.
  case linear(scales: [Double], biases: [Double])
  /// q stands for element q of the table.
  case lookUp([Double])
}
