import GraphIR
import LayerCatalog

/// When convolutions are computed by Winograd's minimal filtering: tiles of the input and the windows
/// are transformed, multiplied element by element, and transformed back, which takes 4 products for
/// each output of a 3 x 3 window in place of 9 (tiles of 2 x 2 outputs), or 2.25 (of 4 x 4).
///
/// Source: Lavin and Gray, "Fast Algorithms for Convolutional Neural Networks", 2015, section 4.
enum Winograd {
  /// With fewer channels than this, transforming takes longer than it saves.
  private static let fewestChannels = 32
  /// With fewer outputs of a channel than this, transforming the weights takes longer than many runs
  /// save: it takes 4 ms for 128 x 128 windows, and a convolution to 28 x 28 elements saves 0.6 ms.
  private static let fewestPositions = 28 * 28
  /// Transformed weights are 1.8 or 4 times as large as plain ones of this size, and must stay in the
  /// cache: 8 MB.
  private static let largestWeights = 8 << 20

  /// Whether a convolution may be computed that way, and gains by it.
  static func serves(
    _ convolution: Convolution, _ order: SpatialOrder, _ kernel: Tensor, _ builder: PlanBuilder
  ) -> Bool {
    let window = convolution.window
    // A NaN would spread over its tile.
    guard !builder.keepsNaN, convolution.groups == 1, window.size == [3, 3],
      window.strides == [1, 1], window.dilation == [1, 1],
      min(kernel.shape[0], kernel.shape[1]) >= fewestChannels,
      kernel.byteCount <= largestWeights
    else { return false }
    return builder.isFast || order.targetDimensions.reduce(1, *) >= fewestPositions
  }

  /// Whether a primitive has tiles of an allowed size: those of 4 x 4 outputs lose digits beyond the
  /// tolerances.
  static func isAccepted(_ primitive: Primitive, _ builder: PlanBuilder) -> Bool {
    primitive.name.contains("wino") && (builder.isFast || primitive.name.contains("2x3"))
  }
}
