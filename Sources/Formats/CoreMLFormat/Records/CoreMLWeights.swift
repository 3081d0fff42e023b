package import ProtobufWire

/// Numbers of a layer: how they are stored, and where.
package struct CoreMLWeights: Hashable, Sendable {
  /// How a number is stored.
  package enum Encoding: Hashable, Sendable {
    case float32
    case float16
    /// Numbers of so many bits, 1 to 8, from the highest bit of the first byte on.
    case quantized(bits: Int, CoreMLQuantization)
    /// Signed bytes, with which the layer computes.
    case int8(CoreMLQuantization)
  }

  /// How a number is stored.
  package var encoding: Encoding
  /// Where the bytes are.
  package var place: ProtobufPlace
  /// Whether training on the device changes them.
  package var isUpdatable: Bool

  /// How many numbers there are; of quantized ones, how many fit the bytes.
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

/// What quantized numbers stand for.
package enum CoreMLQuantization: Hashable, Sendable {
  /// q stands for `scale * q + bias`: one of each for all, or one for each output channel; no bias
  /// is 0.
  case linear(scales: [Double], biases: [Double])
  /// q stands for the element q.
  case lookUp([Double])
}
