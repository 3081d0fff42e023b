import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// Means and maxima of regions of images (He et al. 2017, Mask R-CNN). Means are products with two matrices
/// of the weights of linear interpolation, since these are products of one for each axis.
enum ONNXRegions: ONNXFamily {
  static let nodes: [String: ONNXLayer.Build] = [
    "RoiAlign": { (layer) throws(WeighbridgeError) in [try layer.alignedRegions()] }
  ]
}

extension ONNXLayer {
  /// Adds the regions, `[regions, channels, output height, output width]`, of images.
  fileprivate mutating func alignedRegions() throws(WeighbridgeError) -> ONNXValue {
    let (images, regions, indices) = (try input(0), try input(1), try input(2))
    let settings = RegionSettings(
      outputs: [
        try integer("output_height", default: 1), try integer("output_width", default: 1),
      ],
      count: try integer("sampling_ratio", default: 0),
      scale: try float("spatial_scale", default: 1),
      isShifted: try string(
        "coordinate_transformation_mode",
        default: opset < 16 ? "output_half_pixel" : "half_pixel") == "half_pixel")
    let mode = try string("mode", default: "avg")
    guard ["avg", "max"].contains(mode), settings.count >= 0 else {
      throw malformed(
        "has mode=\(mode) and sampling_ratio=\(settings.count), expected avg or max and 0 or more")
    }
    guard mode == "avg" || settings.count > 0 else {
      throw unsupported(
        "takes the largest of a number of samples that depends on the region (sampling_ratio=0), and only that of a "
          + "fixed number can be read")
    }
    let sizes = type(images).shape.dropFirst(2).compactMap(\.value)
    guard type(images).rank == 4, sizes.count == 2, sizes.allSatisfy({ $0 >= 1 }),
      type(regions).rank == 2, type(regions).shape[1].agrees(with: .fixed(4)),
      settings.outputs.allSatisfy({ (1...1 << 12).contains($0) }), settings.count <= 1 << 12
    else {
      throw unsupported(
        "takes \(settings.outputs) samples of regions \(type(regions)) of \(type(images)), and only images of known sizes "
          + "and regions [count, 4] can be read")
    }
    let chosen = try apply(Gather(axis: 0), to: images, indices, role: "images")
    guard mode == "avg" else { return try largestSamples(of: chosen, regions, sizes, settings) }
    var weights: [ONNXValue] = []
    for axis in 0..<2 {
      weights.append(
        settings.count > 0
          ? try regionWeights(regions, axis, sizes[axis], settings)
          : try adaptiveWeights(regions, axis, sizes[axis], settings))
    }
    let rows = try apply(
      MatMul(transposeA: false, transposeB: false), to: weights[0], chosen, role: "rows")
    return try apply(MatMul(transposeA: false, transposeB: true), to: rows, weights[1])
  }

  /// Adds the starts and the lengths, `[regions, 1]`, of regions along an axis, 0 for rows and 1 for
  /// columns.
  private mutating func regionSpan(
    _ regions: ONNXValue, _ axis: Int, _ settings: RegionSettings
  ) throws(WeighbridgeError) -> (start: ONNXValue, length: ONNXValue) {
    let role = RegionSettings.role(axis)
    var ends: [ONNXValue] = []
    for end in 0..<2 {
      let column = 1 - axis + 2 * end
      let range = Slice.Range(axis: 1, start: column, stop: column + 1, step: 1)
      let given = try apply(Slice([range]), to: regions, role: "\(role)/given_\(end)")
      let scaled = try apply(
        Multiply(), to: given, number(settings.scale, like: given, "scale"),
        role: "\(role)/scaled_\(end)")
      ends.append(
        settings.isShifted
          ? try apply(
            Subtract(), to: scaled, number(0.5, like: scaled, "half"), role: "\(role)/end_\(end)")
          : scaled)
    }
    let length = try apply(Subtract(), to: ends[1], ends[0], role: "\(role)/length")
    if settings.isShifted { return (ends[0], length) }
    return (
      ends[0],
      try apply(
        Maximum(), to: length, number(1, like: length, "one"), role: "\(role)/at_least_one")
    )
  }

  /// Adds the places, `[regions, samples]`, in the middle of equal parts of each region.
  private mutating func samplePlaces(
    _ regions: ONNXValue, _ axis: Int, _ settings: RegionSettings
  ) throws(WeighbridgeError) -> ONNXValue {
    let role = RegionSettings.role(axis)
    let (start, length) = try regionSpan(regions, axis, settings)
    let count = settings.outputs[axis] * settings.count
    let parts = newConstant(
      Tensor(
        type(regions).elementType, shape: [1, count],
        (0..<count).map { (Double($0) + 0.5) / Double(count) }), "\(role)/parts")
    let way = try apply(Multiply(), to: length, parts, role: "\(role)/way")
    return try apply(Add(), to: start, way, role: "\(role)/places")
  }

  /// Adds whether places are in an image or at most one element further out.
  private mutating func isInside(
    _ place: ONNXValue, _ size: Int, _ role: String
  ) throws(WeighbridgeError) -> ONNXValue {
    let limited = try apply(
      Clip(minimum: -1, maximum: Double(size)), to: place, role: "\(role)/limited")
    return try apply(Comparison(.equal), to: limited, place, role: "\(role)/is_inside")
  }

  /// Adds the weights, `[regions, samples, size]`, of the elements along an axis at places
  /// `[regions, samples]` by linear interpolation.
  private mutating func linearWeights(
    at place: ONNXValue, _ size: Int, _ role: String
  ) throws(WeighbridgeError) -> ONNXValue {
    let within = try apply(
      Clip(minimum: 0, maximum: Double(size - 1)), to: place, role: "\(role)/within")
    let column = try apply(ExpandDims(axes: [2]), to: within, role: "\(role)/places_column")
    let elements = try numbers(
      type(place).elementType, shape: [1, 1, size], "\(role)/elements")
    let distance = try apply(
      UnaryMath(.absolute),
      to: try apply(
        Subtract(), to: column, elements, role: "\(role)/difference"), role: "\(role)/distance")
    let falling = try apply(
      Rescaling(scale: [-1], offset: [1]), to: distance, role: "\(role)/falling")
    return try apply(
      ReLU(slope: 0, threshold: 0, maximum: nil), to: falling, role: "\(role)/linear")
  }

  /// Adds the weights, `[regions, 1, outputs, size]`, of the elements along an axis: means over a fixed
  /// number of samples.
  private mutating func regionWeights(
    _ regions: ONNXValue, _ axis: Int, _ size: Int, _ settings: RegionSettings
  ) throws(WeighbridgeError) -> ONNXValue {
    let role = RegionSettings.role(axis)
    let place = try samplePlaces(regions, axis, settings)
    let linear = try linearWeights(at: place, size, role)
    // Further out than one element there is nothing.
    let inside = try apply(
      ExpandDims(axes: [2]), to: try isInside(place, size, role),
      role: "\(role)/is_inside_column")
    let weights = try apply(
      Where(), to: inside, linear, number(0, like: linear, "zero"), role: "\(role)/weights")
    let split = try apply(
      ReshapeAxes(
        keptSizes(type(weights), 0..<1)
          + [1, settings.outputs[axis], settings.count, size].map { .fixed($0) }), to: weights,
      role: "\(role)/samples")
    return try apply(
      Reduce(.mean, axes: [3], keepDims: false), to: split, role: "\(role)/means")
  }

  /// Adds the weights, `[regions, 1, outputs, size]`, of the elements along an axis, where the number of samples
  /// of an output is its length rounded up.
  ///
  /// Samples are then at least half an element apart, or there is one for each output. So a number that
  /// follows from the size is enough for all that are in the image, from the first of these on.
  private mutating func adaptiveWeights(
    _ regions: ONNXValue, _ axis: Int, _ size: Int, _ settings: RegionSettings
  ) throws(WeighbridgeError) -> ONNXValue {
    let (role, outputs) = (RegionSettings.role(axis), settings.outputs[axis])
    let (start, length) = try regionSpan(regions, axis, settings)
    let output = try apply(
      BinaryMath(.divide), to: length, number(Double(outputs), like: length, "outputs"),
      role: "\(role)/output")
    let samples = try apply(UnaryMath(.ceiling), to: output, role: "\(role)/count")
    let count = try apply(
      Maximum(), to: samples, number(1, like: samples, "one"), role: "\(role)/divisor")
    let spacing = try apply(BinaryMath(.divide), to: output, count, role: "\(role)/spacing")
    let outside = try apply(
      Subtract(), to: number(-1, like: start, "outside"), start, role: "\(role)/way_in")
    let skipped = try apply(
      UnaryMath(.floor),
      to: try apply(BinaryMath(.divide), to: outside, spacing, role: "\(role)/steps_in"),
      role: "\(role)/skipped")
    let first = try apply(
      Clip(minimum: 0, maximum: 0x1p22),
      to: try apply(
        Subtract(), to: skipped, number(2, like: skipped, "margin"), role: "\(role)/before"),
      role: "\(role)/first")
    let sampleCount = try max(outputs, Checked.product([2, size], of: "samples") + 4) + 4
    let steps = try numbers(
      type(regions).elementType, shape: [1, sampleCount], "\(role)/numbers")
    let index = try apply(Add(), to: first, steps, role: "\(role)/index")
    let middle = try apply(
      Add(), to: index, number(0.5, like: index, "half"), role: "\(role)/middle")
    let way = try apply(Multiply(), to: middle, spacing, role: "\(role)/way")
    let place = try apply(Add(), to: start, way, role: "\(role)/places")
    let linear = try linearWeights(at: place, size, role)
    // Each sample counts for one output, if it is in the region and in the image.
    let total = try apply(
      Multiply(), to: samples, number(Double(outputs), like: samples, "outputs"),
      role: "\(role)/total")
    let counts = try apply(
      LogicalAnd(), to: try isInside(place, size, role),
      try apply(Comparison(.less), to: index, total, role: "\(role)/is_sample"),
      role: "\(role)/counts")
    let owner = try apply(
      UnaryMath(.floor),
      to: try apply(BinaryMath(.divide), to: index, count, role: "\(role)/quotient"),
      role: "\(role)/owner")
    let outputNumbers = try numbers(
      type(regions).elementType, shape: [1, outputs, 1], "\(role)/output_numbers")
    let isOwner = try apply(
      Comparison(.equal),
      to: try apply(ExpandDims(axes: [1]), to: owner, role: "\(role)/owner_row"),
      outputNumbers, role: "\(role)/is_owner")
    let isUsed = try apply(
      LogicalAnd(), to: isOwner,
      try apply(ExpandDims(axes: [1]), to: counts, role: "\(role)/counts_row"),
      role: "\(role)/is_used")
    let share = try apply(
      ExpandDims(axes: [2]),
      to: try apply(UnaryMath(.reciprocal), to: count, role: "\(role)/reciprocal"),
      role: "\(role)/share")
    let shares = try apply(
      Where(), to: isUsed, share, number(0, like: share, "zero"), role: "\(role)/shares")
    // The weights of samples that do not count may be NaN.
    let weights = try apply(
      Where(),
      to: try apply(ExpandDims(axes: [2]), to: counts, role: "\(role)/counts_column"), linear,
      number(0, like: linear, "zero"), role: "\(role)/weights")
    let means = try apply(
      MatMul(transposeA: false, transposeB: false), to: shares, weights, role: "\(role)/sums")
    return try apply(ExpandDims(axes: [1]), to: means, role: "\(role)/means")
  }

  /// Adds the largest of the weighted elements around all samples of each output, as ONNX has it.
  private mutating func largestSamples(
    of images: ONNXValue, _ regions: ONNXValue, _ sizes: [Int], _ settings: RegionSettings
  ) throws(WeighbridgeError) -> ONNXValue {
    let counts = settings.outputs.map { $0 * settings.count }
    let sampleCount = try Checked.product(counts, of: "the samples of a region")
    var (places, conditions) = ([ONNXValue](), [ONNXValue]())
    for axis in 0..<2 {
      let place = try samplePlaces(regions, axis, settings)
      let inside = try isInside(place, sizes[axis], RegionSettings.role(axis))
      places.append(try spread(place, axis, counts, sampleCount, "places"))
      conditions.append(try spread(inside, axis, counts, sampleCount, "inside"))
    }
    let sampler = try PlaceSampler(
      mode: .linear, padding: .border, alignsCorners: true, sizes: sizes)
    let elements = try sampler.elements(of: images, &self)
    let terms = try sampler.terms(of: elements, at: places, &self)
    let largest = try apply(Maximum(), terms, role: "largest")[0]
    let isInside = try apply(
      ExpandDims(axes: [2]),
      to: try apply(LogicalAnd(), conditions, role: "is_inside")[0], role: "is_inside/column")
    let kept = try apply(
      Where(), to: isInside, largest, number(0, like: largest, "zero"), role: "kept")
    let (heights, widths) = (settings.outputs[0], settings.outputs[1])
    let channels = keptSizes(type(kept), 2..<3)
    guard case .fixed? = channels.first else {
      throw unsupported("takes regions of \(type(images)), whose number of channels must be known")
    }
    let split = try apply(
      ReshapeAxes(
        keptSizes(type(kept), 0..<1)
          + [heights, settings.count, widths, settings.count].map { .fixed($0) } + channels),
      to: kept, role: "samples/axes")
    let maxima = try apply(
      Reduce(.maximum, axes: [2, 4], keepDims: false), to: split, role: "maxima")
    return try transposed(maxima, [0, 3, 1, 2])
  }

  /// Adds what an axis has for each of its samples, `[regions, samples]`, for the samples of both axes.
  private mutating func spread(
    _ value: ONNXValue, _ axis: Int, _ counts: [Int], _ sampleCount: Int, _ role: String
  ) throws(WeighbridgeError) -> ONNXValue {
    let name = "\(RegionSettings.role(axis))/\(role)"
    let expanded = try apply(
      ExpandDims(axes: [2 - axis]), to: value, role: "\(name)/axis")
    let all = try apply(
      BroadcastTo(target: [-1] + counts), to: expanded, role: "\(name)/grid")
    return try apply(
      ReshapeAxes(keptSizes(type(all), 0..<1) + [.fixed(sampleCount)]), to: all,
      role: "\(name)/list")
  }
}

/// How regions are sampled.
private struct RegionSettings {
  /// The number of outputs along each axis.
  let outputs: [Int]
  /// The number of samples along each axis of each output; 0 if it follows from the region.
  let count: Int
  /// What regions are multiplied with.
  let scale: Double
  /// Whether regions refer to the corners of elements.
  let isShifted: Bool

  static func role(_ axis: Int) -> String { axis == 0 ? "row" : "column" }
}
