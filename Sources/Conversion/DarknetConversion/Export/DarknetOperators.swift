import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

/// What operators of other frameworks become in darknet: one row for each kind.
package enum DarknetOperators {
  /// Why an operator of a kind is never written; `nil` when it is, unless its settings forbid it.
  package static func refusal(of kind: String) -> String? { table.refusal(of: kind) }

  /// The kinds of all rows, one entry a row.
  package static var kinds: [String] { table.kinds }

  static let table = ExportTable([
    DarknetRules.layers, DarknetRules.activations, DarknetRules.images, DarknetRules.joins,
    unsupported,
  ])

  /// Families of operators that darknet lacks, with the reason.
  private static let unsupported: [DarknetRules.Row] = [
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
  ].flatMap { reason, kinds in
    kinds.split(separator: " ").map { DarknetRules.Row(kind: String($0), unsupported: reason) }
  }
}
