import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

/// What operators of other frameworks become in darknet: one row for each kind.
package enum DarknetOperators {
  /// A row of the table.
  typealias Row = TargetMapping<DarknetTranslation.Rule>

  /// The kinds with a row, and why there is none where there is not.
  package static var reasons: [String: String?] {
    rules.mapValues { if case .unsupported(let reason) = $0 { reason } else { nil } }
  }

  static let rules: [String: Row] = [
    "add": .mapped(DarknetRules.add),
    "average_pooling": .mapped(DarknetRules.averagePooling),
    "batch_normalization": .mapped(DarknetRules.batchNormalization),
    "clip": .mapped(DarknetRules.activation),
    "concatenate": .mapped(DarknetRules.concatenate),
    "convolution": .mapped(DarknetRules.convolution),
    "dense": .mapped(DarknetRules.dense),
    "elu": .mapped(DarknetRules.activation),
    "gelu": .mapped(DarknetRules.activation),
    "global_average_pooling": .mapped(DarknetRules.globalAveragePooling),
    "global_max_pooling": .mapped(DarknetRules.globalMaxPooling),
    "hard_mish": .mapped(DarknetRules.activation),
    "identity": .mapped(DarknetRules.identity),
    "leaky_relu": .mapped(DarknetRules.activation),
    "max_pooling": .mapped(DarknetRules.maxPooling),
    "mish": .mapped(DarknetRules.activation),
    "multiply": .mapped(DarknetRules.multiply),
    "piecewise_linear": .mapped(DarknetRules.activation),
    "relu": .mapped(DarknetRules.activation),
    "reshape": .mapped(DarknetRules.reshape),
    "sigmoid": .mapped(DarknetRules.activation),
    "softmax": .mapped(DarknetRules.softmax),
    "stair": .mapped(DarknetRules.activation),
    "swish": .mapped(DarknetRules.activation),
    "tanh": .mapped(DarknetRules.activation),
    "transpose": .mapped(DarknetRules.transpose),
    "upsampling": .mapped(DarknetRules.upsampling),
    "zero_padding": .mapped(DarknetRules.zeroPadding),
  ].merging(unsupported) { mapped, _ in mapped }

  /// Families of operators that darknet lacks, with the reason.
  private static let unsupported: [String: Row] = [
    "darknet has no such activation": """
    celu glu hard_shrink hard_sigmoid hard_swish log_sigmoid log_softmax prelu selu soft_shrink \
    softplus softsign sparse_plus sparsemax squareplus tanh_shrink threshold
    """,
    "darknet has no such normalisation": """
    group_normalization layer_normalization normalization rms_normalization
    """,
    "darknet has it inside of sections of its own only": """
    binarization cropping exponential grouped_softmax local_response_normalization \
    locally_connected reduce rescaling slice subtract sum_normalization unit_normalization
    """,
    "darknet itself cannot load a [deconvolutional] section": "transposed_convolution",
    "darknet has no attention": "additive_attention attention dot_product_attention",
    "a recurrent section of darknet is one step, with other gates or orders": """
    conv_lstm flatten_time gru lstm masking simple_rnn unflatten_time
    """,
    "darknet computes no sums of products but connected layers": """
    dot einsum_dense matmul
    """,
    "darknet has no such pooling": """
    adaptive_average_pooling adaptive_max_pooling masked_average_pooling
    """,
    "darknet has no arithmetic between layers but sums and products": """
    average binary_math maximum minimum unary_math
    """,
    "darknet has no comparisons and no choice": """
    comparison logical_and logical_not logical_or where
    """,
    "darknet looks nothing up": """
    category_encoding hashed_crossing discretization embedding argmax argmin gather gather_elements index_lookup \
    one_hot sort hashing
    """,
    "darknet has no such change of a tensor's axes or sizes": """
    broadcast_to center_crop cumprod cumsum depth_to_space expand_dims full_like pad repeat \
    repeat_vector reshape_axes reverse shape space_to_depth split squeeze tile
    """,
    "darknet changes images before the network, and not inside":
      "auto_contrast clahe resizing",
    "darknet computes in float32": "cast",
    "darknet computes no spectra": "stft",
    "darknet chooses among boxes outside of the network": "non_max_suppression",
  ].reduce(into: [:]) { rows, family in
    for kind in family.value.split(separator: " ") {
      rows[String(kind)] = .unsupported(family.key)
    }
  }
}
