package import Bytes
package import GraphIR

/// A list of operators, in which readers look up the kinds stored in files.
package struct Catalog: Sendable {
  private let byKind: [String: any CatalogOperator.Type]

  /// Creates a list of operators, each of a different kind.
  package init(_ operators: [any CatalogOperator.Type]) {
    byKind = Dictionary(operators.map { ($0.kind, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The operators of this module.
  package static let standard = Catalog(all)

  /// All operators. A test compares this list with the files of this folder.
  package static let all: [any CatalogOperator.Type] = [
    AdaptiveAveragePooling.self,
    AdaptiveMaxPooling.self,
    Add.self,
    AdditiveAttention.self,
    ArgMax.self,
    ArgMin.self,
    Attention.self,
    AutoContrast.self,
    Average.self,
    AveragePooling.self,
    BatchNormalization.self,
    Binarization.self,
    BinaryMath.self,
    BitwiseMath.self,
    BroadcastTo.self,
    Cast.self,
    CategoryEncoding.self,
    CELU.self,
    CenterCrop.self,
    CLAHE.self,
    Clip.self,
    Comparison.self,
    Concatenate.self,
    ConvLSTM.self,
    Convolution.self,
    Cropping.self,
    CumProd.self,
    CumSum.self,
    Dense.self,
    DepthToSpace.self,
    Discretization.self,
    Dot.self,
    DotProductAttention.self,
    EinsumDense.self,
    ELU.self,
    Embedding.self,
    ExpandDims.self,
    Exponential.self,
    FlattenTime.self,
    FullLike.self,
    Gather.self,
    GatherElements.self,
    GELU.self,
    GlobalAveragePooling.self,
    GlobalMaxPooling.self,
    GLU.self,
    GroupedSoftmax.self,
    GroupNormalization.self,
    GRU.self,
    HardMish.self,
    HardShrink.self,
    HardSigmoid.self,
    HardSwish.self,
    HashedCrossing.self,
    Hashing.self,
    Identity.self,
    IndexLookup.self,
    LayerNormalization.self,
    LeakyReLU.self,
    LocallyConnected.self,
    LocalResponseNormalization.self,
    LogicalAnd.self,
    LogicalNot.self,
    LogicalOr.self,
    LogSigmoid.self,
    LogSoftmax.self,
    LSTM.self,
    MaskedAveragePooling.self,
    Masking.self,
    MatMul.self,
    Maximum.self,
    MaxPooling.self,
    Minimum.self,
    Mish.self,
    Multiply.self,
    NonMaxSuppression.self,
    Normalization.self,
    OneHot.self,
    Pad.self,
    PiecewiseLinear.self,
    PReLU.self,
    Reduce.self,
    ReLU.self,
    Repeat.self,
    RepeatVector.self,
    Rescaling.self,
    Reshape.self,
    ReshapeAxes.self,
    Resizing.self,
    Reverse.self,
    RMSNormalization.self,
    ScatterElements.self,
    SELU.self,
    Shape.self,
    Sigmoid.self,
    SimpleRNN.self,
    Slice.self,
    Softmax.self,
    Softplus.self,
    SoftShrink.self,
    Softsign.self,
    Sort.self,
    SpaceToDepth.self,
    Sparsemax.self,
    SparsePlus.self,
    Split.self,
    Squareplus.self,
    Squeeze.self,
    Stair.self,
    STFT.self,
    Subtract.self,
    SumNormalization.self,
    Swish.self,
    Tanh.self,
    TanhShrink.self,
    Threshold.self,
    Tile.self,
    Transpose.self,
    TransposedConvolution.self,
    UnaryMath.self,
    UnflattenTime.self,
    UnitNormalization.self,
    Upsampling.self,
    Where.self,
    ZeroPadding.self,
  ]
}

extension Catalog {
  /// The operator with a stored kind; `nil` when there is none.
  package subscript(kind: String) -> (any CatalogOperator.Type)? { byKind[kind] }

  /// Creates the operator that is stored in a file, including ``Opaque`` ones.
  ///
  /// - Throws: As ``makeOperator(kind:version:attributes:)``.
  package func makeStoredOperator(
    kind: String, version: Int, attributes: Attributes
  ) throws(WeighbridgeError) -> any Operator {
    guard kind == Opaque.kind, version == Opaque.version else {
      return try makeOperator(kind: kind, version: version, attributes: attributes)
    }
    var reader = try AttributeReader(attributes, of: kind)
    let operation = try Opaque(reading: &reader)
    try reader.finish()
    return operation
  }

  /// Creates the operator of the catalog that is stored in a file.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` for an unknown kind, version or attribute;
  ///   ``WeighbridgeError/Code/malformed`` for invalid settings.
  package func makeOperator(
    kind: String, version: Int, attributes: Attributes
  ) throws(WeighbridgeError) -> any CatalogOperator {
    guard let type = self[kind] else { throw .unsupported("unknown operator \(kind)") }
    guard version == type.version else {
      let advice =
        version < type.version
        ? "convert the original model again" : "a newer version of this program can read it"
      throw .unsupported(
        "\(kind) has version \(version), and this program knows \(type.version); \(advice)")
    }
    var reader = try AttributeReader(attributes, of: kind)
    let operation = try type.init(reading: &reader)
    try reader.finish()
    return operation
  }
}
