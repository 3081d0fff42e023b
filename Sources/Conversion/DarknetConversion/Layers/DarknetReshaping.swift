import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

/// `[upsample]`, `[reorg]`, `[reorg3d]`, `[crop]`, `[history]`.
enum DarknetReshaping {
  static let sections: [String: DarknetSectionForm] = [
    "upsample": DarknetSectionForm(build: upsample) { (layer, section) throws(WeighbridgeError) in
      let scale = layer.has("scale") ? try layer.operation(Rescaling.self).scale[0] : 1
      guard layer.nodes[0].operation is AveragePooling else {
        section.set("stride", try layer.operation(Upsampling.self).factors[0])
        section.set("scale", scale, unless: 1)
        return
      }
      let size = try layer.operation(AveragePooling.self).window.size[0]
      section.set("stride", -size)
      section.set("scale", scale / Double(size * size), unless: 1)
    },
    "reorg": DarknetSectionForm(build: reorg) { (layer, section) throws(WeighbridgeError) in
      if let padding = layer.nodes.last?.operation as? Pad {
        return section.set("extra", padding.after[1])
      }
      let target = try layer.operation(Reshape.self, "split").target
      let isReverse = try layer.operation(Transpose.self).axes == [0, 3, 4, 1, 5, 2]
      section.set("stride", target[isReverse ? 0 : 2])
      section.flag("reverse", isReverse)
    },
    "reorg3d": DarknetSectionForm(build: reorg3d) { (layer, section) throws(WeighbridgeError) in
      section.set("stride", try layer.operation(Reshape.self, "split").target[2])
    },
    "crop": DarknetSectionForm(build: crop) { (layer, section) throws(WeighbridgeError) in
      let shape = try layer.outputShape()
      section.set("crop_height", shape[2])
      section.set("crop_width", shape[3])
      section.flag("noadjust", !layer.has("rescale"))
    },
    "history": DarknetSectionForm(build: history) { (layer, section) throws(WeighbridgeError) in
      section.set("history_size", layer.nodes.last?.inputs.count ?? 1)
    },
  ]

  private static let upsample: DarknetLayer.Build = { (layer) throws(WeighbridgeError) in
    let stride = try layer.integer("stride", default: 2, in: -(1 << 16)...1 << 16)
    let scale = try layer.double("scale", default: 1)
    _ = try layer.image(layer.input)
    guard stride != 0 else {
      throw layer.malformed("has stride=0, and an image is enlarged by 1 or more")
    }
    guard stride < 0 else {
      let output = try layer.add(
        Upsampling(factors: [stride, stride], interpolation: .nearest, layout: .channelsFirst),
        [layer.input])
      return scale == 1 ? output : try layer.scaled(output, by: scale, role: "scale")
    }
    // A negative stride sums each block.
    let window = Window(
      size: [-stride, -stride], strides: [-stride, -stride], dilation: [1, 1], padding: .valid)
    let mean = try layer.add(
      AveragePooling(window: window, countIncludePad: false, layout: .channelsFirst),
      [layer.input])
    return try layer.scaled(mean, by: scale * Double(stride * stride), role: "scale")
  }

  /// The order of darknet, in both forks: the elements are treated as an image with s times the
  /// height and width and channels/s² channels, whose positions are then sorted by their
  /// remainders.
  private static let reorg: DarknetLayer.Build = { (layer) throws(WeighbridgeError) in
    let stride = try layer.integer("stride", default: 1, in: 1...1 << 12)
    let isReverse = try layer.flag("reverse")
    let extra = try layer.integer("extra", default: 0)
    guard try !layer.flag("flatten") else {
      throw layer.unsupported("has flatten=1, and only a [reorg] without it can be read")
    }
    guard extra == 0 else { return try layer.paddedRow(by: extra) }
    let dimensions = try layer.image(layer.input)
    let square = stride * stride
    guard dimensions.channels % square == 0,
      isReverse || (dimensions.height % stride, dimensions.width % stride) == (0, 0)
    else {
      throw layer.malformed(
        "stride=\(stride) does not divide \(layer.shape(of: layer.input)): \(square) must divide "
          + "the channels, and \(stride) height and width")
    }
    let (depth, height, width) = (dimensions.channels / square, dimensions.height, dimensions.width)
    if isReverse {
      return try layer.reordered(
        from: [stride, stride, depth, height, width], axes: [0, 3, 4, 1, 5, 2],
        to: [depth, height * stride, width * stride])
    }
    return try layer.reordered(
      from: [depth, height, stride, width, stride], axes: [0, 3, 5, 1, 2, 4],
      to: [dimensions.channels * square, height / stride, width / stride])
  }

  /// Space to depth.
  private static let reorg3d: DarknetLayer.Build = { (layer) throws(WeighbridgeError) in
    let stride = try layer.integer("stride", default: 1, in: 1...1 << 12)
    guard try !layer.flag("reverse") else {
      throw layer.unsupported(
        "has reverse=1, with which darknet itself divides by 0, and only reverse=0 can be read")
    }
    let dimensions = try layer.image(layer.input)
    guard dimensions.height % stride == 0, dimensions.width % stride == 0 else {
      throw layer.malformed(
        "stride=\(stride) does not divide height and width of \(layer.shape(of: layer.input))")
    }
    let (height, width) = (dimensions.height / stride, dimensions.width / stride)
    return try layer.reordered(
      from: [dimensions.channels, height, stride, width, stride], axes: [0, 3, 5, 1, 2, 4],
      to: [dimensions.channels * stride * stride, height, width])
  }

  /// Crops the center, and then computes 2x - 1 unless `noadjust` is set.
  private static let crop: DarknetLayer.Build = { (layer) throws(WeighbridgeError) in
    let height = try layer.integer("crop_height", default: 1, in: 1...1 << 24)
    let width = try layer.integer("crop_width", default: 1, in: 1...1 << 24)
    let isUnadjusted = try layer.flag("noadjust")
    let dimensions = try layer.image(layer.input)
    guard height <= dimensions.height, width <= dimensions.width else {
      throw layer.malformed(
        "crops \(layer.shape(of: layer.input)) to a height of \(height) and a width of \(width), which "
          + "are larger")
    }
    let before = [(dimensions.height - height) / 2, (dimensions.width - width) / 2]
    let after = [dimensions.height - height - before[0], dimensions.width - width - before[1]]
    let output = try layer.add(
      Cropping(borders: Borders(before: before, after: after), layout: .channelsFirst),
      [layer.input])
    return isUnadjusted ? output : try layer.scaled(output, by: 2, plus: -1, role: "rescale")
  }

  /// Concatenates the image and the previous ones, which do not exist and are zeros.
  private static let history: DarknetLayer.Build = { (layer) throws(WeighbridgeError) in
    let size = try layer.integer("history_size", default: 4, in: 1...1 << 12)
    _ = try layer.image(layer.input)
    if size == 1 { return try layer.add(Identity(), [layer.input]) }
    layer.decide("the images before the first are zeros, as when darknet starts")
    let zeros = try layer.scaled(layer.input, by: 0, role: "zeros")
    return try layer.add(
      Concatenate(axis: 1), [layer.input] + [ValueID](repeating: zeros, count: size - 1))
  }
}

extension DarknetLayer {
  /// Flattens the input to a row and appends zeros.
  mutating func paddedRow(by count: Int) throws(WeighbridgeError) -> ValueID {
    let row = try flattened(input)
    return try add(Pad(before: [0, 0], after: [0, count], mode: .constant), [row])
  }

  /// Reshapes the input, transposes it and reshapes it again.
  ///
  /// - Parameters:
  ///   - shape: The first shape, without the batch axis.
  ///   - axes: The permutation, including the batch axis.
  ///   - target: The shape of the output, without the batch axis.
  mutating func reordered(
    from shape: [Int], axes: [Int], to target: [Int]
  ) throws(WeighbridgeError) -> ValueID {
    let split = try add(Reshape(target: shape), [input], role: "split")
    let transposed = try add(Transpose(axes: axes), [split], role: "transpose")
    return try add(Reshape(target: target), [transposed])
  }
}
