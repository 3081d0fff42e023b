import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

/// The elements of an image at places between them.
enum MILSampling {
  static let nodes: [String: MILLayer.Build] = [
    "resample": { (layer) throws(WeighbridgeError) in
      let (image, grid) = (try layer.input(), try layer.input("coordinates"))
      let alignsCorners = try layer.flag("align_corners")
      let sampler = try layer.sampler(of: image, at: grid, alignsCorners: alignsCorners)
      let mode = try layer.text("coordinates_mode")
      var places: [SourceValue] = []
      for axis in sampler.sizes.indices {
        places.append(try layer.place(axis, of: grid, sampler, mode, alignsCorners))
      }
      let elements = try sampler.elements(of: image, &layer)
      let sum = try sampler.sum(of: elements, at: places, &layer)
      let result = try layer.transposed(sum, [0, 2, 1], role: "samples")
      let shape = layer.type(image).shape.prefix(2) + layer.type(grid).shape[1...2]
      return [
        try layer.reshape(
          result, to: shape.compactMap { $0.value.map { .known($0) } }, keepsZeros: true)
      ]
    }
  ]
}

extension MILLayer {
  /// How elements around the places count. Reflections about the centers of the outer elements go with
  /// aligned corners, and those about their edges without, as in PyTorch.
  fileprivate mutating func sampler(
    of image: SourceValue, at grid: SourceValue, alignsCorners: Bool
  ) throws(WeighbridgeError) -> PlaceSampler {
    let modes: [String: PlaceSampler.Mode] = ["bilinear": .linear, "nearest": .nearest]
    let paddings: [String: PlaceSampler.Padding] = [
      "border": .border, "constant": .zeros, "reflection": .reflection, "symmetric": .reflection,
    ]
    let (name, padding) = (try text("sampling_mode"), try text("padding_mode"))
    let value = try number("padding_value", default: 0)
    guard let mode = modes[name], let border = paddings[padding] else {
      throw malformed(
        "samples with the sampling_mode \(name) and the padding_mode \(padding), expected bilinear or "
          + "nearest, and constant, border, reflection or symmetric")
    }
    guard value == 0 || border != .zeros,
      border != .reflection || alignsCorners == (padding == "reflection")
    else {
      throw unsupported(
        "samples with the padding_mode \(padding), the padding_value \(value) and "
          + "align_corners=\(alignsCorners), and zeros outside, reflection with aligned corners and "
          + "symmetric without can be read")
    }
    guard let shape = type(image).fixedShape, shape.count == 4, let target = type(grid).fixedShape,
      target.count == 4, target[3] == 2, target[0] == shape[0], !shape.contains(0),
      type(grid).elementType.isFloat
    else {
      throw unsupported(
        "samples \(type(image)) at \(type(grid)), and images of known sizes at places of two real numbers "
          + "can be read")
    }
    return try PlaceSampler(
      mode: mode, padding: border, alignsCorners: alignsCorners, sizes: Array(shape[2...]))
  }

  /// The places along an axis of the image, where its elements have the numbers 0, 1, ...: `[batch, places]`.
  fileprivate mutating func place(
    _ axis: Int, of grid: SourceValue, _ sampler: PlaceSampler, _ mode: String,
    _ alignsCorners: Bool
  ) throws(WeighbridgeError) -> SourceValue {
    let shape = type(grid).fixedShape ?? []
    let column = 1 - axis
    let part = try apply(
      Slice([Slice.Range(axis: 3, start: column, stop: column + 1, step: 1)]), to: grid,
      role: "column_\(axis)")
    let flat = try reshape(
      part, to: [.known(shape[0]), .known(shape[1] * shape[2])], keepsZeros: true,
      role: "grid_\(axis)")
    let size = Double(sampler.sizes[axis])
    // The ends of the range are the centers of the outer elements, or their outer edges.
    let span = alignsCorners ? size - 1 : size
    let first = alignsCorners ? 0 : -0.5
    let scaling: (factor: Double, offset: Double)
    switch mode {
    case "unnormalized": scaling = (1, 0)
    case "normalized_minus_one_to_one": scaling = (span / 2, (size - 1) / 2)
    case "normalized_zero_to_one": scaling = (span, first)
    default:
      throw malformed(
        "has the coordinates_mode \(mode), expected unnormalized, or normalized_minus_one_to_one or "
          + "normalized_zero_to_one")
    }
    let scaled = try self.scaling(flat, by: scaling.factor, role: "factor_\(axis)")
    return try adding(scaling.offset, to: scaled, role: "middle_\(axis)")
  }
}
