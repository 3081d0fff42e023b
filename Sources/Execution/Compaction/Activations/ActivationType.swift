import Bytes

/// What layers are computed with in place of float32.
package enum ActivationType: String, Hashable, Sendable, CaseIterable {
  /// 8-bit integers, with a scale for each output channel of the weights and one for the data of a layer.
  case int8
  /// bfloat16, both the weights and the data.
  case bfloat16

  /// How it is called in a sentence.
  var words: String {
    switch self {
    case .int8: "8-bit integers"
    case .bfloat16: "bfloat16"
    }
  }

  /// How weights are stored.
  var weights: FixedEncoding {
    switch self {
    case .int8: .linear(bits: 8)
    case .bfloat16: .half(.bfloat16)
    }
  }
}
