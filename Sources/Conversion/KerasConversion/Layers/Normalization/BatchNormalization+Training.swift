import Bytes
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// `BatchNormalization` that is called in training mode: with the mean and the variance of the
/// batch in place of those from training.
extension BatchNormalization {
  /// Whether the statistics are those of the batch.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` for options that change them.
  static func usesBatch(
    _ layer: inout KerasLayer, _ inputs: [ValueID], isRenormalized: Bool
  ) throws(WeighbridgeError) -> Bool {
    let name = "\(layer.source.layer)/\(layer.path(of: ""))"
    guard layer.isTraining else {
      if layer.network.layersInTraining.contains(name) { throw changedStatistics }
      return false
    }
    if layer.unreadSettings["trainable"] == false {
      // Since TensorFlow 2, a frozen layer runs in inference mode.
      let isInTensorFlow2 =
        layer.version >= KerasVersion(2, 4)
        || (layer.version >= KerasVersion(2, 3) && layer.version.suffix.hasPrefix("-tf"))
      if isInTensorFlow2 { return false }
      throw .unsupported(
        "is called with training=true and is frozen, of which Keras \(layer.version) makes batch "
          + "statistics with TensorFlow 1 and none with TensorFlow 2")
    }
    guard !isRenormalized else {
      throw .unsupported("is called with training=true and has renorm=true, which corrects them")
    }
    if inputs.contains(where: { layer.mask(of: $0) != nil }), layer.version >= KerasVersion(2, 11) {
      throw .unsupported(
        "is called with training=true and a mask, which leaves steps out of the statistics")
    }
    if layer.weightValues[layer.path(of: "mean")] != nil { throw changedStatistics }
    layer.network.layersInTraining.insert(name)
    layer.decideOnce(
      "is called with training=true: the mean and the variance are those of the batch")
    return true
  }

  private static var changedStatistics: WeighbridgeError {
    WeighbridgeError(
      .unsupported,
      "is called with training=true, which changes its stored statistics, and also without, which "
        + "uses them: the result depends on the order")
  }

  /// Adds the normalization by the statistics of the batch; the stored ones are not used.
  func addOfBatch(
    to layer: inout KerasLayer, _ input: ValueID, _ axes: [Int], _ weights: [ValueID]
  ) throws(WeighbridgeError) -> [ValueID] {
    let type = layer.graph.type(of: input)
    let reduced = (0..<type.rank).filter { !axes.contains($0) }
    let precise = try layer.cast(
      input, to: type.elementType == .float64 ? .float64 : .float32, role: "precise")
    let reduction = Reduce(.mean, axes: reduced, keepDims: true)
    let mean = try layer.add(reduction, [precise], role: "batch_mean")
    var centered = try layer.add(Subtract(), [precise] + mean, role: "centered")
    let squares = try layer.add(Multiply(), centered + centered, role: "squares")
    var variance = try layer.add(reduction, squares, role: "batch_variance")
    variance = try layer.add(
      Rescaling(scale: [1], offset: [epsilon]), variance, role: "variance_epsilon")
    var factor = try layer.add(UnaryMath(.reciprocalSquareRoot), variance, role: "factor")
    var remaining = weights[...]
    func aligned(_ weight: ValueID) throws(WeighbridgeError) -> ValueID {
      let weightType = layer.graph.type(of: weight)
      if weightType.rank == type.rank { return weight }
      var sizes = type.shape.map { _ in ReshapeAxes.Size.fixed(1) }
      sizes[axes[0]] = .rest
      return try layer.add(ReshapeAxes(sizes), [weight], role: "aligned")[0]
    }
    if hasScale, let gamma = remaining.popFirst() {
      factor = try layer.add(Multiply(), factor + [aligned(gamma)], role: "scaled_factor")
    }
    centered = try layer.add(Multiply(), centered + factor, role: "normalized")
    if hasCenter, let beta = remaining.popFirst() {
      centered = try layer.add(Add(), centered + [aligned(beta)], role: "shifted")
    }
    return layer.graph.type(of: centered[0]).elementType == type.elementType
      ? try layer.add(Identity(), centered) : try layer.add(Cast(to: type.elementType), centered)
  }
}
