import Bytes

/// The type in which layers are computed instead of float32.
package enum ActivationType: String, Hashable, Sendable, CaseIterable {
  /// 8-bit integers, with one scale per output channel of the weights and one for the layer's data.
  case int8
  /// bfloat16 for both the weights and the data.
  case bfloat16

  /// The phrase that names it in a message.
  var phrase: String {
    switch self {
    case .int8: "8-bit integers"
    case .bfloat16: "bfloat16"
    }
  }

  /// The encoding in which weights are stored.
  var weightEncoding: FixedEncoding {
    switch self {
    case .int8: .linear(bits: 8)
    case .bfloat16: .half(.bfloat16)
    }
  }
}
