import Bytes
import ConversionCore
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

/// Keras: `UpSampling1D`, `UpSampling2D`, `UpSampling3D`.
extension Upsampling: KerasMapped {
  static let keras = KerasMapping(
    KerasLayerClass.spatial("UpSampling", shape: { .window(axes: $0) }) {
      (layer, inputs, axes) throws(WeighbridgeError) in
      if axes == 2 { return try images(&layer, inputs) }
      let layout = axes == 1 ? .channelsLast : try layer.dataLayout()
      return try layer.addSelection(
        try upsampling(&layer, axes: axes, .nearest, layout), inputs)
    }.distributed(.inputs))
  /// Keras' layers enlarge linearly in two dimensions only, from half-pixel centers.
  static let kerasRow = nativeRow { (operation, builder) throws(WeighbridgeError) in
    let (factors, axes) = (operation.factors, operation.factors.count)
    let isNearest = operation.interpolation == .nearest
    guard (1...3).contains(axes), operation.interpolation != .linearAsymmetric,
      isNearest || axes == 2
    else { return nil }
    var settings: JSONObject = ["size": axes == 1 ? .integer(factors[0]) : .integers(factors)]
    if axes > 1 { settings["data_format"] = "channels_last" }
    if axes == 2 { settings["interpolation"] = isNearest ? "nearest" : "bilinear" }
    return try builder.layer("UpSampling\(axes)D", settings)
  }

  private static func images(
    _ layer: inout KerasLayer, _ inputs: [ValueID]
  ) throws(WeighbridgeError) -> [ValueID] {
    switch try layer.interpolation(default: .nearest) {
    case .nearest:
      return try layer.addSelection(
        try upsampling(&layer, axes: 2, .nearest, try layer.dataLayout()), inputs)
    case .bilinear:
      let operation = try upsampling(
        &layer, axes: 2, try bilinear(&layer), try layer.dataLayout())
      return try interpolated(&layer, operation, inputs)
    case let filter: return try resized(&layer, inputs, filter)
    }
  }

  /// Adds an interpolation as Keras' function `resize` computes it: before Keras 3, the result is
  /// float32.
  private static func interpolated(
    _ layer: inout KerasLayer, _ operation: some CatalogOperator, _ inputs: [ValueID]
  ) throws(WeighbridgeError) -> [ValueID] {
    let (image, type) = try layer.typedInput(inputs)
    return try layer.addInterpolated(
      operation, isNearest: false, image,
      to: layer.version.major < 3 ? .float32 : type.elementType)
  }

  /// Upsamples images of known sizes with an interpolation filter.
  private static func resized(
    _ layer: inout KerasLayer, _ inputs: [ValueID], _ filter: ResizingInterpolation
  ) throws(WeighbridgeError) -> [ValueID] {
    let layout = try layer.dataLayout()
    let factors = try layer.integers("size", count: 2, default: [2, 2])
    let input = layer.graph.type(of: try layer.onlyInput(inputs))
    let upsampling = Upsampling(factors: factors, interpolation: .nearest, layout: layout)
    if let problem = upsampling.problem { throw .malformed(problem) }
    guard input.rank == 4 else { throw .malformed("the input is \(input), expected four axes") }
    let known = input.shape[layout.spatialAxes(rank: 4)].compactMap(\.value)
    guard known.count == 2 else {
      guard input.elementType == .float32 else {
        throw .unsupported("takes \(input) of unknown size; float32 is supported")
      }
      return try FilteredUpsampling(filter, factors, layout).add(to: &layer, inputs[0])
    }
    let dimensions = zip(known, factors).map { $0.multipliedReportingOverflow(by: $1) }
    let products = dimensions.map { $0.overflow ? Int.max : $0.partialValue }
    if let problem = Resizing.problem(products) { throw .malformed(problem) }
    let operation = Resizing(
      dimensions: products, interpolation: filter, antialiases: false, fit: .stretch, layout: layout
    )
    return try interpolated(&layer, operation, inputs)
  }

  /// The operator, with the setting `size`.
  private static func upsampling(
    _ layer: inout KerasLayer, axes: Int, _ interpolation: Interpolation, _ layout: DataLayout
  ) throws(WeighbridgeError) -> Upsampling {
    let two = [Int](repeating: 2, count: axes)
    let factors = try layer.integers("size", count: axes, default: two)
    let operation = Upsampling(factors: factors, interpolation: interpolation, layout: layout)
    if let problem = operation.problem { throw .malformed(problem) }
    return operation
  }

  /// Standalone Keras up to 2.3 resizes as TensorFlow 1 does; the Keras inside TensorFlow and every
  /// version from 2.4 on use half-pixel centers. The file does not state which.
  private static func bilinear(
    _ layer: inout KerasLayer
  ) throws(WeighbridgeError) -> Interpolation {
    guard layer.backend == .tensorflow else {
      throw .unsupported(
        "where \(layer.backend) takes the samples of bilinear upsampling is not known")
    }
    let version = layer.version
    let isInsideTensorFlow = version.suffix.hasPrefix("-tf") && version >= KerasVersion(2, 2, 4)
    let isHalfPixel = isInsideTensorFlow || version >= KerasVersion(2, 4)
    layer.decide(
      "bilinear upsampling samples at "
        + (isHalfPixel ? "half-pixel centres" : "output / factor (asymmetric)")
        + ", as Keras \(version) does")
    return isHalfPixel ? .linearHalfPixel : .linearAsymmetric
  }
}
