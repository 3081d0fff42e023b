package import Bytes
package import GraphIR

/// The input, unchanged.
///
/// Any shape and element type in, the same out.
package struct Identity: ElementwiseOperator {
  package static let kind = "identity"
  package static let version = 1

  package var attributes: Attributes { [:] }

  /// Makes the operator.
  package init() {}
}

extension Identity {
  package init(reading attributes: inout AttributeReader) throws(WeighbridgeError) { self.init() }

  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] { inputs }

  package func apply(_ element: Double) -> Double { element }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] { inputs }

  /// No node at all.
  package var decomposition: Decomposition { .nodes { _, inputs, _ in inputs } }

  /// Keras: the function `linear`, `Identity`, and the layers that do something in training only:
  /// `Dropout`, `SpatialDropout1D` to `SpatialDropout3D`, `GaussianNoise`, `GaussianDropout`,
  /// `AlphaDropout`, `ActivityRegularization`, `StochasticDepth` of ConvNeXt models, and what
  /// changes images in training, `AugMix` to `Solarization`.
  /// `SpectralNormalization` becomes what it wraps.
  /// Also `Activation`, whose setting names what it is.
  package static let keras = SourceMapping.mapped(
    KerasMapping(
      layers: changesInTraining.merging([
        "Activation": { (layer, inputs) throws(WeighbridgeError) in
          try layer.addActivation(to: try layer.onlyInput(inputs), role: "")
        },
        "Dropout": dropout,
        "SpatialDropout1D": dropout,
        "SpatialDropout2D": dropout,
        "SpatialDropout3D": dropout,
        "GaussianDropout": dropout,
        "AlphaDropout": dropout,
        "GaussianNoise": { (layer, inputs) throws(WeighbridgeError) in
          layer.ignore("stddev", "seed")
          return try layer.add(Identity(), inputs)
        },
        "ActivityRegularization": { (layer, inputs) throws(WeighbridgeError) in
          layer.ignore("l1", "l2")
          return try layer.add(Identity(), inputs)
        },
        "Identity": { (layer, inputs) throws(WeighbridgeError) in
          try layer.add(Identity(), [try layer.onlyInput(inputs)])
        },
        "SpectralNormalization": spectralNormalization,
        "StochasticDepth": { (layer, inputs) throws(WeighbridgeError) in
          layer.ignore("drop_path_rate")
          return try layer.add(Identity(), inputs)
        },
      ]) { first, _ in first },
      activations: ["linear": { _, _ in Identity() }]))

  private static let dropout: KerasMapping.Build = { (layer, inputs) throws(WeighbridgeError) in
    layer.ignore("rate", "noise_shape", "seed", "data_format")
    return try layer.add(Identity(), inputs)
  }
}
