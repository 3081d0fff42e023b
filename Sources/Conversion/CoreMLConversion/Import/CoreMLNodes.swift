import ConversionCore
import GraphIR
import LayerCatalog

/// The layers that become nodes.
enum CoreMLNodes {
  /// The builder of each kind of layer, by the name of its field in `Schemas/coreml.proto`.
  static let builders = [String: CoreMLCall.Build](families: [
    activations, convolutions, indexing, merging, normalizations, pooling, recurrent, reductions,
    reshaping, resizing,
  ])
}
