import Bytes
import ConversionCore
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// Keras: `Resizing(height, width, interpolation="bilinear", crop_to_aspect_ratio=False)`, and
/// `RandomCrop`, which also resizes at inference, up to Keras 3.7.
extension Resizing: KerasMapped {
  static let keras = KerasMapping([
    .plain("Resizing", casts: .imagesOfKeras2) { (layer, inputs) throws(WeighbridgeError) in
      let operation = Resizing(
        dimensions: try layer.imageDimensions(),
        interpolation: try layer.interpolation(default: .bilinear),
        antialiases: try layer.flag("antialias", default: false), fit: try fit(&layer),
        layout: try layer.dataLayout())
      let (image, type) = try layer.typedInput(inputs)
      // What TensorFlow interpolates is float32; only since Keras 2.8 the layer casts it.
      let isCast = layer.version >= KerasVersion(2, 8) || operation.interpolation == .nearest
      return try layer.addResized(operation, image, to: isCast ? type.elementType : .float32)
    },
    .plain("RandomCrop", casts: .noneSinceKeras3) { (layer, inputs) throws(WeighbridgeError) in
      let dimensions = try layer.imageDimensions()
      let layout = try layer.dataLayout()
      layer.ignore("seed")
      if layer.integerType != nil { layer.ignore("dtype") }  // The inputs have it, up to Keras 2.
      if layer.version >= KerasVersion(3, 8) {
        return try layer.add(Identity(), [try layer.onlyInput(inputs)])
      }
      if layer.version >= KerasVersion(2, 4), layer.version < KerasVersion(2, 7) {
        return try addCenter(&layer, try layer.typedInput(inputs), dimensions, layout)
      }
      guard layer.version >= KerasVersion(2, 8), layer.version < KerasVersion(3, 6) else {
        throw .unsupported(
          "what RandomCrop of Keras \(layer.version) does when the model runs was "
            + "never compared with that version; it is known for 2.4 to 2.6, 2.8 to 3.5 and from 3.8"
        )
      }
      let operation = Resizing(
        dimensions: dimensions, interpolation: .bilinear, antialiases: false, fit: .crop,
        layout: layout
      )
      var (image, type) = (
        try layer.onlyInput(inputs), try layer.typedInput(inputs).type.elementType
      )
      if layer.version.major >= 3 { type = layer.types?.compute ?? type }
      image = try layer.cast(image, to: type, role: "input_cast")
      return try layer.addResized(operation, image, to: type)
    },
  ])
  /// Keras' layer resizes images without smoothing them, and reads them at half-pixel centers.
  static let kerasRow = nativeRow { (operation, builder) throws(WeighbridgeError) in
    let interpolation = operation.interpolation.rawValue
    let isKnown =
      builder.format != .archive || !["gaussian", "mitchellcubic"].contains(interpolation)
    guard isKnown, operation.grid == .halfPixel, !operation.antialiases,
      var settings = operation.dimensions.imageSettings
    else { return nil }
    settings["interpolation"] = .string(interpolation)
    switch operation.fit {
    case .stretch: settings["crop_to_aspect_ratio"] = false
    case .crop: settings["crop_to_aspect_ratio"] = true
    case .pad(let number):
      guard builder.format == .archive else { return nil }
      settings["crop_to_aspect_ratio"] = false
      settings["pad_to_aspect_ratio"] = true
      settings["fill_mode"] = "constant"
      settings["fill_value"] = .real(number)
    }
    if builder.format == .archive { settings["data_format"] = "channels_last" }
    return try builder.layer("Resizing", settings)
  }

  /// Adds `RandomCrop` of TensorFlow 2.3 to 2.6: the center of the image, resized until one side fits and
  /// the other does not lack anything.
  private static func addCenter(
    _ layer: inout KerasLayer, _ image: (value: ValueID, type: TensorType), _ dimensions: [Int],
    _ layout: DataLayout
  ) throws(WeighbridgeError) -> [ValueID] {
    try layer.requireSpatialAxes(2, of: [image.value])
    let axes = layout.spatialAxes(rank: image.type.rank)
    let sizes = axes.compactMap { image.type.shape[$0].value }
    guard sizes.count == 2, sizes.allSatisfy({ $0 > 0 }), image.type.elementType == .float32 else {
      throw .unsupported(
        "takes \(image.type); images of float32 whose sizes are known are supported")
    }
    let (height, width) = (dimensions[0], dimensions[1])
    let isTall = Double(sizes[0]) / Double(sizes[1]) > Double(height) / Double(width)
    let resized =
      isTall
      ? [Int(Double(width * sizes[0]) / Double(sizes[1])), width]
      : [height, Int(Double(height * sizes[1]) / Double(sizes[0]))]
    let resizing = Resizing(
      dimensions: resized, interpolation: .bilinear, antialiases: false, fit: .stretch,
      layout: layout)
    let value = try layer.add(resizing, [image.value], role: "resized")
    return try layer.add(CenterCrop(dimensions: dimensions, layout: layout), value)
  }

  /// `crop_to_aspect_ratio` and Keras 3's `pad_to_aspect_ratio`.
  private static func fit(_ layer: inout KerasLayer) throws(WeighbridgeError) -> ResizingFit {
    let crops = try layer.flag("crop_to_aspect_ratio", default: false)
    let pads = try layer.flag("pad_to_aspect_ratio", default: false)
    try layer.require("fill_mode", toBe: "constant", because: "Keras itself has no other")
    let fill = try layer.real("fill_value", default: 0)
    guard !crops || !pads else {
      throw .malformed(
        "both crops and pads to the aspect ratio, and Keras allows "
          + "only one of the two")
    }
    return crops ? .crop : pads ? .pad(fill) : .stretch
  }
}

extension CenterCrop: KerasMapped {
  /// Keras: `CenterCrop(height, width)`.
  static let keras = KerasMapping([
    .plain("CenterCrop", casts: .images) { (layer, inputs) throws(WeighbridgeError) in
      let operation = CenterCrop(
        dimensions: try layer.imageDimensions(), layout: try layer.dataLayout())
      let type = try layer.typedInput(inputs).type
      try layer.requireSpatialAxes(2, of: inputs)
      let axes = operation.layout.spatialAxes(rank: type.rank)
      let isCropped = zip(axes, operation.dimensions).allSatisfy {
        (type.shape[$0].value ?? 0) >= $1
      }
      guard isCropped || layer.version >= KerasVersion(2, 15) else {
        throw .unsupported(
          "images of \(type) may be too small, and what Keras \(layer.version) then does was "
            + "never compared; it is known for 2.15")
      }
      if isCropped { return try layer.addSelection(operation, inputs) }
      // Keras returns resized images in float32 since 3.6, whatever type the layer has.
      let result = layer.version >= KerasVersion(3, 6) ? ElementType.float32 : type.elementType
      guard axes.allSatisfy({ type.shape[$0].value != nil }) else {
        guard type.elementType == .float32 else {
          throw .unsupported(
            "takes \(type), whose result is computed in \(result.rawValue) where it is "
              + "smaller than "
              + "\(operation.dimensions); state its size")
        }
        return try layer.add(operation, inputs)
      }
      let resizing = Resizing(
        dimensions: operation.dimensions, interpolation: .bilinear, antialiases: false, fit: .crop,
        layout: operation.layout)
      return try layer.addResized(resizing, inputs[0], to: result)
    }
  ])
  static let kerasRow = nativeRow { (operation, builder) throws(WeighbridgeError) in
    guard let settings = operation.dimensions.imageSettings else { return nil }
    return try builder.layer("CenterCrop", settings)
  }
}

extension KerasLayer {
  /// Adds a resized image. TensorFlow computes in float32 unless it takes the nearest elements;
  /// Keras 3 then converts to the image's type, and from 3.6 on it rounds and saturates integers.
  ///
  /// - Parameter result: The type of the output.
  mutating func addResized(
    _ operation: Resizing, _ image: ValueID, to result: ElementType
  ) throws(WeighbridgeError) -> [ValueID] {
    try addInterpolated(
      operation, isNearest: operation.interpolation == .nearest, image, to: result)
  }

  /// Adds an operator that interpolates, as ``addResized(_:_:to:)`` does.
  mutating func addInterpolated(
    _ operation: some CatalogOperator, isNearest: Bool, _ image: ValueID, to result: ElementType
  ) throws(WeighbridgeError) -> [ValueID] {
    let type = graph.type(of: image).elementType
    // A result of 16 bits is rounded once.
    let isPlain = type.isFloat && type == result && (isNearest || type != .float64)
    let computed: ElementType = isPlain ? type : isNearest ? .float64 : .float32
    let value = try cast(image, to: computed, role: "number")
    guard computed != result else { return try add(operation, [value]) }
    let resized = try add(operation, [value], role: "resized")
    guard result.isInteger, !isNearest, version >= KerasVersion(3, 6) else {
      return try add(Cast(to: result), resized)
    }
    let rounded = try add(UnaryMath(.round), resized, role: "rounded")
    return try add(Cast(to: result, overflow: .saturate), rounded)
  }

  /// Reads the setting `interpolation`, case-insensitively.
  mutating func interpolation(
    default fallback: ResizingInterpolation
  ) throws(WeighbridgeError) -> ResizingInterpolation {
    try setting(
      "interpolation", default: fallback,
      ResizingInterpolation.allCases.map(\.rawValue).joined(separator: ", ")
    ) { $0.string.flatMap { ResizingInterpolation(rawValue: $0.lowercased()) } }
  }

  /// Reads the settings `height` and `width`.
  fileprivate mutating func imageDimensions() throws(WeighbridgeError) -> [Int] {
    let dimensions = [try integer("height"), try integer("width")]
    if let problem = Resizing.problem(dimensions) { throw .malformed(problem) }
    return dimensions
  }
}

extension [Int] {
  /// The settings `height` and `width` of the size of an image; `nil` for other numbers of axes.
  fileprivate var imageSettings: JSONObject? {
    count == 2 ? ["height": .integer(self[0]), "width": .integer(self[1])] : nil
  }
}
