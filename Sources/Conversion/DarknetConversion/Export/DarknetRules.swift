import Bytes
import ConversionCore
import DarknetFormat
import GraphIR
import LayerCatalog

/// How operators become sections.
enum DarknetRules {
  typealias Row = ExportRow<DarknetTranslation>

  static let layers: [Row] = [
    Row(Convolution.self) { (operation, model) throws(WeighbridgeError) in
      let stored = model.weights(of: operation)
      guard let kernel = stored["kernel"], kernel.shape.count == 4 else {
        throw .unsupported(
          "convolves over other than two axes, and darknet can convolve images only")
      }
      let input = try model.source()
      let window = try DarknetWindowFit(operation.window, input: input)
      try model.select(input)
      let (normalization, activation) = model.followers(input.layout)
      var section = DarknetSectionText("convolutional")
      section.flag("batch_normalize", normalization != nil)
      section.set("filters", kernel.shape[0])
      section.set(window: window.window, padding: window.before, groups: operation.groups)
      section.set("activation", activation)
      var weights = try model.affineWeights(
        bias: stored["bias"], normalization, count: kernel.shape[0])
      weights["kernel"] = kernel
      return try model.add(section, layout: input.layout, weights: weights)
    },
    Row(Dense.self) { (operation, model) throws(WeighbridgeError) in
      let stored = model.weights(of: operation)
      guard let kernel = stored["kernel"], model.type().rank == 2 else {
        throw .unsupported(
          "multiplies arrays of several axes, and darknet can connect rows of numbers only")
      }
      let input = try model.unpaddedSource()
      try model.select(input)
      let (normalization, activation) = model.followers(.channelsFirst)
      var section = DarknetSectionText("connected")
      section.flag("batch_normalize", normalization != nil)
      section.set("output", kernel.shape[0])
      section.set("activation", activation)
      var weights = try model.affineWeights(
        bias: stored["bias"], normalization, count: kernel.shape[0])
      weights["kernel"] = inChannelOrder(kernel, input)
      return try model.add(section, layout: .channelsFirst, weights: weights)
    },
    Row(BatchNormalization.self) { (operation, model) throws(WeighbridgeError) in
      let input = try model.unpaddedSource()
      guard model.fork == .alexeyab else {
        throw .unsupported(
          "becomes a [batchnorm], with which pjreddie's darknet crashes; AlexeyAB's can read it "
            + "(\(APIName.exportDarknet) alexeyab)")
      }
      guard model.normalizesChannels(operation, input.layout) else {
        throw .unsupported(
          "normalizes along another axis than the channels, and darknet can normalize channels only"
        )
      }
      try model.select(input)
      let statistics = try model.statistics(
        .init(operation: operation, weights: model.weights(of: operation)), bias: nil)
      return try model.add(
        DarknetSectionText("batchnorm"), layout: input.layout, weights: statistics)
    },
    Row(Softmax.self) { (operation, model) throws(WeighbridgeError) in
      let input = try model.unpaddedSource()
      guard model.type().rank == 2, operation.axes == [1] else {
        throw .unsupported(
          "takes the softmax of arrays of several axes, and darknet can of rows of numbers only")
      }
      try model.select(input)
      return try model.add(DarknetSectionText("softmax"), layout: input.layout)
    },
    Row(Identity.self) { (_, model) throws(WeighbridgeError) in try model.source() },
    // Flattening an image takes no section: sections that take rows also take images.
    Row(Reshape.self) { (_, model) throws(WeighbridgeError) in
      var output = try model.unpaddedSource()
      guard model.outputType.rank != 2 else { return output }
      let target = model.outputType.singleExampleShape ?? []
      // A row becomes an image with one element per channel, or the reverse.
      guard output.shape.dropFirst().allSatisfy({ $0 == 1 }), target.count(where: { $0 > 1 }) <= 1
      else {
        throw .unsupported("reshapes into several axes, and darknet can reshape into rows only")
      }
      if let axis = target.indices.last(where: { target[$0] > 1 }), output.shape.count == 3 {
        output.layout = axis == 1 ? .channelsFirst : .channelsLast
      }
      return output
    },
    Row(Transpose.self) { (operation, model) throws(WeighbridgeError) in
      var output = try model.unpaddedSource()
      guard output.shape.count == 3, let layout = output.layout.permuted(by: operation.axes) else {
        throw .unsupported("transposes, and darknet can only where its layers keep their order")
      }
      output.layout = layout
      return output
    },
  ]

  /// Operators that may be the activation of a section.
  static let activations: [Row] = [
    "clip", "elu", "gelu", "hard_mish", "leaky_relu", "mish", "piecewise_linear", "relu", "sigmoid",
    "stair", "swish", "tanh",
  ].map { kind in
    Row(kind: kind) { (operation, model) throws(WeighbridgeError) in
      guard let name = DarknetLayer.activationName(of: [operation], fork: model.fork) else {
        throw .unsupported(
          "is the activation \(kind) with settings that \(model.fork.title) does not have, and only its own can "
            + "be written")
      }
      let input = try model.unpaddedSource()
      try model.select(input)
      var section = DarknetSectionText("activation")
      section.set("activation", name)
      return [try model.add(section, layout: input.layout)]
    }
  }

  /// Reorders a kernel `[out, in]` for darknet's order of a flattened image, channels outermost.
  private static func inChannelOrder(_ kernel: Tensor, _ input: DarknetSectionOutput) -> Tensor {
    if input.hasDarknetOrder || input.shape.count != 3 { return kernel }
    let dimensions = [input.shape[1], input.shape[2], input.shape[0]]
    return kernel.splitting(1, into: dimensions).permuted([0, 3, 1, 2]).contiguous()
      .reshaped(kernel.shape)
  }
}
