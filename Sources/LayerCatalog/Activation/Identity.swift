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

  /// Keras: the function `linear`, and the layers that do something in training only: `Dropout`,
  /// `SpatialDropout1D` to `SpatialDropout3D`, `GaussianNoise`, `GaussianDropout`, `AlphaDropout`,
  /// `ActivityRegularization`, `StochasticDepth` of ConvNeXt models, and the random changes of
  /// pictures, `RandomFlip` to `RandomWidth`.
  /// `SpectralNormalization` becomes what it wraps.
  /// Also `Activation`, whose setting names what it is.
  package static let keras = SourceMapping.mapped(
    KerasMapping(
      layers: [
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
        "RandomBrightness": randomChange,
        "RandomContrast": randomChange,
        "RandomFlip": randomChange,
        "RandomHeight": randomChange,
        "RandomRotation": randomChange,
        "RandomTranslation": randomChange,
        "RandomWidth": randomChange,
        "RandomZoom": randomChange,
        "SpectralNormalization": spectralNormalization,
        "StochasticDepth": { (layer, inputs) throws(WeighbridgeError) in
          layer.ignore("drop_path_rate")
          return try layer.add(Identity(), inputs)
        },
      ],
      activations: ["linear": { _, _ in Identity() }]))

  private static let dropout: KerasMapping.Build = { (layer, inputs) throws(WeighbridgeError) in
    layer.ignore("rate", "noise_shape", "seed", "data_format")
    return try layer.add(Identity(), inputs)
  }

  private static let randomChange: KerasMapping.Build = {
    (layer, inputs) throws(WeighbridgeError) in
    layer.ignore(
      "factor", "fill_mode", "fill_value", "height_factor", "interpolation", "mode", "seed",
      "value_range", "width_factor")
    let type = layer.graph.type(of: try layer.onlyInput(inputs))
    guard type.elementType.isFloat else {
      throw WeighbridgeError(.unsupported, "turns \(type) into floating-point numbers")
    }
    return try layer.add(Identity(), inputs)
  }
}
