import Bytes
import ConversionCore
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

extension Identity: KerasMapped {
  /// Keras: `Identity`, and the layers that have an effect only in training;
  /// `SpectralNormalization`, which becomes the layer that it wraps; `Activation`, whose setting
  /// names the function.
  static let keras = KerasMapping(
    [
      .elementwise("Activation") { (layer, inputs) throws(WeighbridgeError) in
        try layer.addActivation(to: try layer.onlyInput(inputs), role: "")
      }.distributed(.inputs),
      .elementwise("ActivityRegularization", ignoring("l1", "l2")),
      // The calls of `add_loss` and `add_metric` in a functional model.
      .elementwise("AddLoss", ignoring("unconditional")),
      .elementwise("AddMetric", ignoring("aggregation", "metric_name")),
      .elementwise("AlphaDropout", noise(.alphaDropout)).distributed(.inputs),
      .elementwise("Dropout", noise(.dropout)).distributed(.inputs),
      .elementwise("GaussianDropout", noise(.gaussianDropout)).distributed(.inputs),
      .elementwise("GaussianNoise", noise(.gaussianNoise, rate: "stddev")),
      KerasLayerClass("Identity", masks: .passedSinceKeras3, casts: .floats, shape: .same) {
        (layer, inputs) throws(WeighbridgeError) in
        layer.ignore("dynamic")  // Keras 2: how Python runs it.
        return try layer.add(Identity(), [try layer.onlyInput(inputs)])
      }.distributed(.inputs),
      // The base class itself, which returns what it is given, up to Keras 2.
      .plain("Layer") { (layer, inputs) throws(WeighbridgeError) in
        guard layer.version.major < 3 else {
          throw .unsupported("is Keras' base class, which cannot be called in Keras 3")
        }
        layer.ignore("dtype", "dynamic")
        return try layer.add(Identity(), [try layer.onlyInput(inputs)])
      },
      KerasLayerClass(
        "SpectralNormalization", masks: .handledByBuilder, casts: .floats, shape: .unknown,
        parts: spectralParts, spectralNormalization),
      .plain("StochasticDepth", stochasticDepth),  // of ConvNeXt models
    ]
      + (1...3).map { axes in
        KerasLayerClass(
          "SpatialDropout\(axes)D", masks: .passed, casts: .floats, shape: .window(axes: axes),
          spatialDropout
        ).distributed(.inputs)
      } + augmentations)
  static let kerasRow = row { (operation, builder) throws(WeighbridgeError) in
    guard let noise = operation.noise else { return builder[0] }
    return try builder.noise(noise)
  }

  /// Reads a layer that has no effect when the model runs.
  private static func ignoring(_ settings: String...) -> KerasMapping.Build {
    { (layer, inputs) throws(WeighbridgeError) in
      for setting in settings { layer.ignore(setting) }
      return try layer.add(Identity(), inputs)
    }
  }

  /// Reads a layer that has an effect only in training.
  private static func noise(
    _ kind: TrainingNoise.Kind, rate key: String = "rate"
  ) -> KerasMapping.Build {
    { (layer, inputs) throws(WeighbridgeError) in
      let rate = layer.trainingNumber(key, in: 0...Double.greatestFiniteMagnitude) ?? 0
      let shape = layer.take("noise_shape")?.array ?? []
      layer.ignore("seed")
      let isComplete = shape.count == layer.graph.type(of: try layer.onlyInput(inputs)).rank
      let shared = isComplete ? shape.indices.filter { shape[$0].integer == 1 } : []
      return try layer.add(
        Identity(noise: TrainingNoise(kind, rate: rate, sharedAxes: shared)), inputs)
    }
  }

  /// Whole examples become 0.
  private static let stochasticDepth: KerasMapping.Build = {
    (layer, inputs) throws(WeighbridgeError) in
    let rank = layer.graph.type(of: try layer.onlyInput(inputs)).rank
    let rate = layer.trainingNumber("drop_path_rate", in: 0...1) ?? 0
    return try layer.add(
      Identity(noise: TrainingNoise(.dropout, rate: rate, sharedAxes: Array(1..<max(1, rank)))),
      inputs)
  }

  /// `SpatialDropout1D` to `3D`: whole channels become 0.
  private static let spatialDropout: KerasMapping.Build = {
    (layer, inputs) throws(WeighbridgeError) in
    let rank = layer.graph.type(of: try layer.onlyInput(inputs)).rank
    let isFirst = layer.take("data_format")?.string ?? layer.defaultLayout.rawValue
    let shared = rank > 3 && isFirst == DataLayout.channelsFirst.rawValue ? 2..<rank : 1..<rank - 1
    let rate = layer.trainingNumber("rate", in: 0...1) ?? 0
    layer.ignore("seed", "noise_shape")
    return try layer.add(
      Identity(noise: TrainingNoise(.dropout, rate: rate, sharedAxes: Array(shared))), inputs)
  }

  /// Layers that augment images in training. Some cast integers since Keras 2.8, and of these some
  /// no longer since Keras 3 or 3.6.
  private static var augmentations: [KerasLayerClass] {
    let keepingShape = ["RandomFlip", "RandomRotation", "RandomTranslation", "RandomZoom"]
    let keepingShapeAndType = ["RandomBrightness", "RandomContrast"]
    let ofKeras3 = [
      "RandomElasticTransform", "RandomErasing", "RandomGaussianBlur", "RandomPerspective",
      "RandomSharpness", "RandomShear",
    ]
    let ofSeveralKinds = ["AugMix", "CutMix", "RandAugment", "Solarization"]
    let keepingIntegers = [
      "RandomColorDegeneration", "RandomColorJitter", "RandomGrayscale", "RandomHeight",
      "RandomHue", "RandomInvert", "RandomPosterization", "RandomSaturation", "RandomWidth",
    ]
    return keepingShape.map {
      .plain($0, casts: .images, shape: .same, augmentation).distributed(.result)
    }
      + keepingShapeAndType.map {
        .plain($0, casts: .imagesToKeras35, shape: .same, augmentation)
      }
      + ofKeras3.map { .plain($0, casts: .images, augmentation).distributed(.result) }
      + ofSeveralKinds.map { .plain($0, casts: .images, augmentation) }
      + keepingIntegers.map { .plain($0, augmentation).distributed(.inputs) }
      + ["Equalization", "MaxNumBoundingBoxes", "MixUp"].map { .plain($0, augmentation) }
  }

  private static let augmentationSettings = [
    "addition_factor", "all_ops", "alpha", "bins", "brightness_factor", "chain_depth",
    "contrast_factor", "data_format", "factor", "fill_mode", "fill_value", "height_factor",
    "hue_factor", "interpolation", "kernel_size", "max_number", "mode", "num_chains", "num_ops",
    "saturation_factor", "scale", "seed", "sigma", "threshold_factor", "value_range",
    "width_factor", "x_factor", "y_factor",
  ]

  private static let augmentation: KerasMapping.Build = {
    (layer, inputs) throws(WeighbridgeError) in
    for setting in augmentationSettings { layer.ignore(setting) }
    return try layer.add(Identity(), inputs)
  }
}

/// Keras wrappers that have no effect when the model runs.
extension Identity {
  /// `SpectralNormalization` (Miyato et al. 2018) normalizes the wrapped layer's kernel in training
  /// and stores the result. Its vector u, as long as the kernel's last axis, is used only for the
  /// next training step.
  ///
  /// Keras writes the kernel first, as a weight of the wrapper, then the trainable weights, then
  /// the others, so that the vector comes before the bias where the layer is frozen.
  static let spectralNormalization: KerasMapping.Build = {
    (layer, inputs) throws(WeighbridgeError) in
    layer.ignore("power_iterations")
    let isFlagged = try layer.flag("trainable", default: true)
    let isTrainable = isFlagged || layer.areWeightsInOrder
    let (className, settings) = try layer.unwrap()
    guard normalized.contains(className), let build = KerasMappings.layers[className] else {
      throw .unsupported(
        "wraps a layer of the class \(className), which has no kernel to normalize")
    }
    let isInnerFrozen = settings["trainable"] == false && !layer.areWeightsInOrder
    var vector: [Int]?
    if !isTrainable || isInnerFrozen {
      vector = try layer.weightOfAnyShape("vector_u", position: 1)?.shape
      guard vector != nil || !isTrainable else {
        throw .unsupported(
          "is frozen in a nested model, and its weights then have another order")
      }
    }
    let first = layer.requestedShapes.count
    let result = try build(&layer, inputs)
    // Keras returns the wrapped layer's own tensor, and so its mask too.
    try layer.passMasks(of: className, from: inputs, to: result)
    let kernel = layer.requestedShapes.dropFirst(first).first ?? []
    let shape = [1, kernel.last ?? 0]
    if isTrainable, !isInnerFrozen {
      try layer.ignoreWeight("vector_u", shape: shape)
    } else if let vector, vector != shape {
      throw .malformed("the weight vector_u has the shape \(vector), and the layer takes \(shape)")
    }
    return try layer.castToInput(result, inputs)
  }

  /// The wrapped layer; the wrapper's kernel is an alias of that layer's. A kernel of low rank is a sum
  /// and no variable, so that the wrapper has only its vector.
  static let spectralParts = KerasLayerParts(
    [.init(["layer"], settings: ["layer"])], trainable: .none, alias: "layer/vars/0",
    aliasedCount: 2)

  /// The classes whose layers have a `kernel` or `embeddings`.
  private static let normalized: Set<String> = [
    "Conv1D", "Conv1DTranspose", "Conv2D", "Conv2DTranspose", "Conv3D", "Conv3DTranspose", "Dense",
    "DepthwiseConv1D", "DepthwiseConv2D", "EinsumDense", "Embedding", "LocallyConnected1D",
    "LocallyConnected2D",
  ]
}

extension KerasModelBuilder {
  /// Adds the layer of a noise; integers, of which Keras would make floating-point numbers, get none.
  fileprivate mutating func noise(_ noise: TrainingNoise) throws(WeighbridgeError) -> KerasValue {
    let rank = outputType.rank
    guard outputType.elementType.isFloat, rank > 0 else { return operands[0] }
    switch noise.kind {
    case .alphaDropout: return try layer("AlphaDropout", ["rate": .real(noise.rate)])
    case .gaussianDropout: return try layer("GaussianDropout", ["rate": .real(noise.rate)])
    case .gaussianNoise: return try layer("GaussianNoise", ["stddev": .real(noise.rate)])
    case .dropout: break
    }
    let shape = (0..<rank).map { noise.sharedAxes.contains($0) ? JSONValue.integer(1) : .null }
    return try layer(
      "Dropout",
      [
        "rate": .real(noise.rate),
        "noise_shape": noise.sharedAxes.isEmpty ? .null : .array(shape),
      ])
  }
}

extension KerasLayer {
  /// Keras 3 casts the output of `SpectralNormalization` to the type of its input: an embedding of
  /// integers is truncated to integers.
  fileprivate mutating func castToInput(
    _ outputs: [ValueID], _ inputs: [ValueID]
  ) throws(WeighbridgeError) -> [ValueID] {
    guard version.major >= 3, let input = inputs.first, let output = outputs.first else {
      return outputs
    }
    let type = graph.type(of: input).elementType
    if graph.type(of: output).elementType == type { return outputs }
    return try add(Cast(to: type), [output], role: "cast")
  }
}
