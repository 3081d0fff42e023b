import GraphIR
import LayerCatalog

/// What each layer and activation function of Keras becomes.
package enum KerasMappings {
  /// By the kind of the operator that the layers become, in most cases. A test compares this list with
  /// the files.
  package static let byKind: [String: KerasMapping] = [
    AdaptiveAveragePooling.kind: AdaptiveAveragePooling.keras,
    AdaptiveMaxPooling.kind: AdaptiveMaxPooling.keras,
    Add.kind: Add.keras,
    AdditiveAttention.kind: AdditiveAttention.keras,
    Attention.kind: Attention.keras,
    AutoContrast.kind: AutoContrast.keras,
    Average.kind: Average.keras,
    AveragePooling.kind: AveragePooling.keras,
    BatchNormalization.kind: BatchNormalization.keras,
    CategoryEncoding.kind: CategoryEncoding.keras,
    CELU.kind: CELU.keras,
    CenterCrop.kind: CenterCrop.keras,
    CLAHE.kind: CLAHE.keras,
    Clip.kind: Clip.keras,
    Concatenate.kind: Concatenate.keras,
    ConvLSTM.kind: ConvLSTM.keras,
    Convolution.kind: Convolution.keras,
    Cropping.kind: Cropping.keras,
    Dense.kind: Dense.keras,
    Discretization.kind: Discretization.keras,
    Dot.kind: Dot.keras,
    DotProductAttention.kind: DotProductAttention.keras,
    EinsumDense.kind: EinsumDense.keras,
    ELU.kind: ELU.keras,
    Embedding.kind: Embedding.keras,
    Exponential.kind: Exponential.keras,
    FlattenTime.kind: FlattenTime.keras,
    GELU.kind: GELU.keras,
    GlobalAveragePooling.kind: GlobalAveragePooling.keras,
    GlobalMaxPooling.kind: GlobalMaxPooling.keras,
    GLU.kind: GLU.keras,
    GroupNormalization.kind: GroupNormalization.keras,
    GRU.kind: GRU.keras,
    HardShrink.kind: HardShrink.keras,
    HardSigmoid.kind: HardSigmoid.keras,
    HardSwish.kind: HardSwish.keras,
    HashedCrossing.kind: HashedCrossing.keras,
    Hashing.kind: Hashing.keras,
    Identity.kind: Identity.keras,
    IndexLookup.kind: IndexLookup.keras,
    LayerNormalization.kind: LayerNormalization.keras,
    LeakyReLU.kind: LeakyReLU.keras,
    LocallyConnected.kind: LocallyConnected.keras,
    LogSigmoid.kind: LogSigmoid.keras,
    LogSoftmax.kind: LogSoftmax.keras,
    LSTM.kind: LSTM.keras,
    Masking.kind: Masking.keras,
    Maximum.kind: Maximum.keras,
    MaxPooling.kind: MaxPooling.keras,
    Minimum.kind: Minimum.keras,
    Mish.kind: Mish.keras,
    Multiply.kind: Multiply.keras,
    Normalization.kind: Normalization.keras,
    PReLU.kind: PReLU.keras,
    ReLU.kind: ReLU.keras,
    RepeatVector.kind: RepeatVector.keras,
    Rescaling.kind: Rescaling.keras,
    Reshape.kind: Reshape.keras,
    Resizing.kind: Resizing.keras,
    RMSNormalization.kind: RMSNormalization.keras,
    SELU.kind: SELU.keras,
    Sigmoid.kind: Sigmoid.keras,
    SimpleRNN.kind: SimpleRNN.keras,
    Softmax.kind: Softmax.keras,
    Softplus.kind: Softplus.keras,
    SoftShrink.kind: SoftShrink.keras,
    Softsign.kind: Softsign.keras,
    Sparsemax.kind: Sparsemax.keras,
    SparsePlus.kind: SparsePlus.keras,
    Squareplus.kind: Squareplus.keras,
    STFT.kind: STFT.keras,
    Subtract.kind: Subtract.keras,
    Swish.kind: Swish.keras,
    Tanh.kind: Tanh.keras,
    TanhShrink.kind: TanhShrink.keras,
    Transpose.kind: Transpose.keras,
    TransposedConvolution.kind: TransposedConvolution.keras,
    UnitNormalization.kind: UnitNormalization.keras,
    Upsampling.kind: Upsampling.keras,
    ZeroPadding.kind: ZeroPadding.keras,
  ]

  /// The builders of Keras' layers, by class name.
  package static let layers: [String: KerasMapping.Build] = merged(\.layers)

  /// Keras' activation functions, by name.
  package static let activations: [String: KerasMapping.Activation] = merged(\.activations)

  private static func merged<Entry>(
    _ part: KeyPath<KerasMapping, [String: Entry]>
  ) -> [String: Entry] {
    byKind.values.reduce(into: [:]) { result, mapping in
      result.merge(mapping[keyPath: part]) { first, _ in first }
    }
  }
}
