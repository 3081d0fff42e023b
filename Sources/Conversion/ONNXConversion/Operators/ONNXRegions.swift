import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// Means of regions of images (He et al. 2017, Mask R-CNN): products with two matrices of the weights of
/// linear interpolation, since these are products of one for each axis.
enum ONNXRegions: ONNXFamily {
  static let nodes: [String: ONNXLayer.Build] = [
    "RoiAlign": { (layer) throws(WeighbridgeError) in [try layer.alignedRegions()] }
  ]
}

extension ONNXLayer {
  /// Adds the regions, `[regions, channels, output height, output width]`, of images.
  fileprivate mutating func alignedRegions() throws(WeighbridgeError) -> ONNXValue {
    let (images, regions, indices) = (try input(0), try input(1), try input(2))
    let outputs = [
      try integer("output_height", default: 1), try integer("output_width", default: 1),
    ]
    let settings = RegionSettings(
      count: try integer("sampling_ratio", default: 0),
      scale: try float("spatial_scale", default: 1),
      isShifted: try string(
        "coordinate_transformation_mode",
        default: opset < 16 ? "output_half_pixel" : "half_pixel") == "half_pixel")
    let mode = try string("mode", default: "avg")
    guard mode == "avg", settings.count > 0 else {
      throw unsupported(
        "has mode=\(mode) and sampling_ratio=\(settings.count), and only means (avg) of a fixed number of samples "
          + "(1 or more) can be read")
    }
    let sizes = type(images).shape.dropFirst(2).compactMap(\.value)
    guard type(images).rank == 4, sizes.count == 2, sizes.allSatisfy({ $0 >= 1 }),
      type(regions).rank == 2, type(regions).shape[1].agrees(with: .fixed(4)),
      outputs.allSatisfy({ (1...1 << 12).contains($0) }), settings.count <= 1 << 12
    else {
      throw unsupported(
        "takes \(outputs) samples of regions \(type(regions)) of \(type(images)), and only images of known sizes and "
          + "regions [count, 4] can be read")
    }
    var weights: [ONNXValue] = []
    for axis in 0..<2 {
      weights.append(try regionWeights(regions, axis, sizes[axis], outputs[axis], settings))
    }
    let chosen = try apply(Gather(axis: 0), to: images, indices, role: "images")
    let rows = try apply(
      MatMul(transposeA: false, transposeB: false), to: weights[0], chosen, role: "rows")
    return try apply(MatMul(transposeA: false, transposeB: true), to: rows, weights[1])
  }

  /// Adds the weights, `[regions, 1, outputs, size]`, of the elements along an axis, 0 for rows and 1
  /// for columns.
  private mutating func regionWeights(
    _ regions: ONNXValue, _ axis: Int, _ size: Int, _ outputCount: Int, _ settings: RegionSettings
  ) throws(WeighbridgeError) -> ONNXValue {
    let role = axis == 0 ? "row" : "column"
    var ends: [ONNXValue] = []
    for end in 0..<2 {
      let column = 1 - axis + 2 * end
      let range = Slice.Range(axis: 1, start: column, stop: column + 1, step: 1)
      let given = try apply(Slice([range]), to: regions, role: "\(role)/given_\(end)")
      let shift = settings.isShifted ? -0.5 : 0
      ends.append(
        try apply(
          Rescaling(scale: [settings.scale], offset: [shift]), to: given, role: "\(role)/end_\(end)"
        ))
    }
    var length = try apply(Subtract(), to: ends[1], ends[0], role: "\(role)/length")
    if !settings.isShifted {
      length = try apply(
        Maximum(), to: length, number(1, like: length, "one"), role: "\(role)/at_least_one")
    }
    // The samples in the middle of equal parts of the region.
    let count = outputCount * settings.count
    let elementType = type(regions).elementType
    let parts = newConstant(
      Tensor(
        elementType, shape: [1, count], (0..<count).map { (Double($0) + 0.5) / Double(count) }),
      "\(role)/parts")
    let way = try apply(Multiply(), to: length, parts, role: "\(role)/way")
    let place = try apply(Add(), to: ends[0], way, role: "\(role)/places")
    let within = try apply(
      Clip(minimum: 0, maximum: Double(size - 1)), to: place, role: "\(role)/within")
    let column = try apply(ExpandDims(axes: [2]), to: within, role: "\(role)/places_column")
    let elements = newConstant(
      Tensor(elementType, shape: [1, 1, size], (0..<size).map(Double.init)), "\(role)/elements")
    let distance = try apply(
      UnaryMath(.absolute),
      to: try apply(
        Subtract(), to: column, elements, role: "\(role)/difference"), role: "\(role)/distance")
    let falling = try apply(
      Rescaling(scale: [-1], offset: [1]), to: distance, role: "\(role)/falling")
    let linear = try apply(
      ReLU(slope: 0, threshold: 0, maximum: nil), to: falling, role: "\(role)/linear")
    // Further out than one element there is nothing.
    let limited = try apply(
      Clip(minimum: -1, maximum: Double(size)), to: place, role: "\(role)/limited")
    let isInside = try apply(
      ExpandDims(axes: [2]),
      to: try apply(
        Comparison(.equal), to: limited, place, role: "\(role)/is_inside"),
      role: "\(role)/is_inside_column")
    let weights = try apply(
      Where(), to: isInside, linear, number(0, like: linear, "zero"), role: "\(role)/weights")
    let split = try apply(
      ReshapeAxes(
        keptSizes(type(weights), 0..<1)
          + [1, outputCount, settings.count, size].map { .fixed($0) }), to: weights,
      role: "\(role)/samples")
    return try apply(
      Reduce(.mean, axes: [3], keepDims: false), to: split, role: "\(role)/means")
  }
}

/// How regions are sampled.
private struct RegionSettings {
  /// The number of samples along each axis of each output.
  let count: Int
  /// What regions are multiplied with.
  let scale: Double
  /// Whether regions refer to the corners of elements.
  let isShifted: Bool
}
