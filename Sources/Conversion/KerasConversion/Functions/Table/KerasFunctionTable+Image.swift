import Bytes
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// Functions of images, whose last axes are height, width and channels.
extension KerasFunctionTable {
  static let images =
    entries([Names(tf: ["image.flip_up_down"], 0), Names(tf: ["image.flip_left_right"], 1)]) {
      (call, axis) throws(WeighbridgeError) in
      let (value, height) = try call.image()
      return try call.add(Reverse(axes: [height + axis]), [value])
    }
    + entries([
      Names(tf: ["raw_ops.ResizeBilinear", "image.resize_bilinear"], .bilinear),
      Names(tf: ["raw_ops.ResizeNearestNeighbor", "image.resize_nearest_neighbor"], .nearest),
      Names(tf: ["raw_ops.ResizeBicubic", "image.resize_bicubic"], .bicubic),
      Names(tf: ["image.resize_area"], .area),
    ]) { (call, interpolation) throws(WeighbridgeError) in
      try call.addOlderResize(interpolation)
    }
    + imageFunctions

  private static let imageFunctions: [Entry] = [
    Entry(["Resize"], tf: ["image.resize"]) { (call) throws(WeighbridgeError) in
      try call.addResize()
    },
    Entry(tf: ["image.resize_images"]) { (call) throws(WeighbridgeError) in
      try call.require(
        "preserve_aspect_ratio", toBe: false, because: "the output size would differ")
      let method = try call.plain("method", at: 2)
      return try call.addOlderResize(try call.interpolation(method))
    },
    Entry(tf: ["image.transpose"]) { (call) throws(WeighbridgeError) in
      let (value, height) = try call.image()
      var axes = Array(0..<height + 3)
      axes.swapAt(height, height + 1)
      return try call.add(Transpose(axes: axes), [value])
    },
    Entry(tf: ["image.crop_to_bounding_box"]) { (call) throws(WeighbridgeError) in
      let (value, height) = try call.image()
      return try call.add(Slice(try call.boxRanges(of: value, height)), [value])
    },
    Entry(tf: ["image.central_crop"]) { (call) throws(WeighbridgeError) in
      let (value, height) = try call.image()
      return try call.add(Slice(try call.centralRanges(of: value, height)), [value])
    },
    Entry(["RGBToGrayscale"], tf: ["image.rgb_to_grayscale"]) {
      (call) throws(WeighbridgeError) in try call.addGrayscale()
    },
    Entry(tf: ["image.per_image_standardization"]) { (call) throws(WeighbridgeError) in
      try call.addStandardization()
    },
    Entry(tf: ["nn.local_response_normalization"]) { (call) throws(WeighbridgeError) in
      let (value, height) = try call.image()
      let radius = try call.integer("depth_radius", at: 1, default: 5)
      guard radius >= 0 else { throw .malformed("depth_radius=\(radius), expected at least 0") }
      let operation = LocalResponseNormalization(
        axis: height + 2, before: radius, after: radius,
        alpha: try call.real("alpha", at: 3, default: 1),
        beta: try call.real("beta", at: 4, default: 0.5),
        bias: try call.real("bias", at: 2, default: 1), omitted: nil)
      return try call.add(operation, [value])
    },
  ]
}

extension KerasFunction {
  /// Takes an image or a batch of images, and returns the axis of its height.
  fileprivate mutating func image() throws(WeighbridgeError) -> (ValueID, height: Int) {
    let value = try tensor("image", "images", at: 0)
    let rank = type(of: value).rank
    guard rank == 3 || rank == 4 else {
      throw .malformed("takes images and has \(type(of: value))")
    }
    return (value, rank - 3)
  }

  /// Takes offsets and sizes, and returns the ranges of height and width.
  fileprivate mutating func boxRanges(
    of value: ValueID, _ height: Int
  ) throws(WeighbridgeError) -> [Slice.Range] {
    var ranges: [Slice.Range] = []
    for (axis, name) in [(height, "height"), (height + 1, "width")] {
      let (start, count) = (try integer("offset_\(name)"), try integer("target_\(name)"))
      let dimension = try dimension(of: value, axis)
      guard start >= 0, count >= 1, start <= dimension, count <= dimension - start else {
        throw .malformed("takes \(count.counted("element")) from \(start) on of \(dimension)")
      }
      ranges.append(Slice.Range(axis: axis, start: start, stop: start + count, step: 1))
    }
    return ranges
  }

  /// Takes a fraction, and returns the central ranges of height and width with that fraction of the
  /// elements, or one more.
  fileprivate mutating func centralRanges(
    of value: ValueID, _ height: Int
  ) throws(WeighbridgeError) -> [Slice.Range] {
    let fraction = try real("central_fraction", at: 1)
    guard fraction > 0, fraction <= 1 else {
      throw .malformed(
        "central_fraction=\(fraction), expected a number above 0, "
          + "at most 1")
    }
    return try [height, height + 1].map { (axis) throws(WeighbridgeError) in
      let dimension = try dimension(of: value, axis)
      let start = Int((Double(dimension) - Double(dimension) * fraction) / 2)
      return Slice.Range(axis: axis, start: start, stop: dimension - start, step: 1)
    }
  }

  private func dimension(of value: ValueID, _ axis: Int) throws(WeighbridgeError) -> Int {
    guard let dimension = type(of: value).shape[axis].value, dimension <= 1 << 32 else {
      throw .unsupported("the size of images \(type(of: value)) is not known")
    }
    return dimension
  }

  /// The method of TensorFlow 1's `resize_images`: a name, or a number.
  fileprivate func interpolation(
    _ method: JSONValue?
  ) throws(WeighbridgeError) -> ResizingInterpolation {
    let numbered: [ResizingInterpolation] = [.bilinear, .nearest, .bicubic, .area]
    guard let method else { return .bilinear }
    if let number = method.integer, numbered.indices.contains(number) { return numbered[number] }
    guard let interpolation = method.string.flatMap(ResizingInterpolation.init) else {
      throw unexpected("method", method, "bilinear, nearest, bicubic or area")
    }
    return interpolation
  }

  /// Adds an image resized by TensorFlow's operation, which samples other elements than
  /// `tf.image.resize` unless `half_pixel_centers` is set.
  fileprivate mutating func addOlderResize(
    _ interpolation: ResizingInterpolation
  ) throws(WeighbridgeError) -> [ValueID] {
    if try flag("half_pixel_centers", default: false) {
      try require("align_corners", toBe: false, because: "TensorFlow allows only one of the two")
      return try addResize(interpolation)
    }
    let (image, height) = try image()
    guard height == 1 else {
      throw .unsupported(
        "resizes a single image, and only a batch of images can be "
          + "resized")
    }
    let size = (try integers("size", at: 1) ?? []).map(JSONValue.integer)
    let settings: JSONObject = [
      "size": .array(size), "method": .string(interpolation.rawValue),
      "align_corners": .bool(try flag("align_corners", default: false)),
    ]
    return try layer.addInner(
      settings, [image], role: "", build: WellKnownLayers.olderResize)
  }

  /// Adds an image with mean 0 and standard deviation 1, or less for an image of almost one color:
  /// the divisor is at least 1 / sqrt(number of elements).
  fileprivate mutating func addStandardization() throws(WeighbridgeError) -> [ValueID] {
    var (value, height) = try image()
    if type(of: value).elementType != .float32 {
      value = try addOne(Cast(to: .float32), [value], role: "cast")
    }
    let axes = Array(height..<height + 3)
    var count = 1.0
    for axis in axes { count *= Double(try dimension(of: value, axis)) }
    guard count > 0 else { throw .malformed("takes images and has \(type(of: value))") }
    let mean = try addOne(Reduce(.mean, axes: axes, keepDims: true), [value], role: "mean")
    let centered = try addOne(Subtract(), [value, mean], role: "centered")
    let deviation = try addOne(
      Reduce(.standardDeviation, axes: axes, keepDims: true), [value], role: "deviation")
    let least = try number(1 / count.squareRoot(), like: deviation)
    let divisor = try addOne(Maximum(), [deviation, least], role: "divisor")
    return try add(BinaryMath(.divide), [centered, divisor])
  }

  /// Adds the luma of red, green and blue, with the weights of ITU-R BT.601, rounded.
  fileprivate mutating func addGrayscale() throws(WeighbridgeError) -> [ValueID] {
    let (value, height) = try image()
    let channels = try layout() == .channelsLast ? height + 2 : height
    let type = type(of: value)
    guard type.elementType.isFloat, type.shape[channels].value == 3 else {
      throw .unsupported("takes fractions of red, green and blue and has \(type)")
    }
    var shape = type.shape.map { _ in 1 }
    shape[channels] = 3
    // TensorFlow's own function computes in float32, whatever the type.
    let elementType: ElementType = isOperation ? type.elementType : .float32
    let weights = try add(constant: Tensor(elementType, shape: shape, [0.2989, 0.5870, 0.1140]))
    let parts = try part(Multiply(), try self.value(.value(value), as: elementType), weights)
    let luma = Reduce(.sum, axes: [channels], keepDims: true)
    if elementType == type.elementType { return try add(luma, [parts]) }
    return try add(Cast(to: type.elementType), [try part(luma, parts)])
  }
}
