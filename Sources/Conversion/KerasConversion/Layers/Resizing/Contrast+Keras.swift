import Bytes
import ConversionCore
import GraphIR
import JSON
import LayerCatalog

extension CLAHE: KerasMapped {
  /// Keras 3: `ContrastLimitedAdaptiveHistogramEqualization(value_range=(0, 255), clip_limit=4,
  /// tile_grid_size=(8, 8))`.
  static let keras = KerasMapping([
    .plain("ContrastLimitedAdaptiveHistogramEqualization", equalization)
  ])
  static let kerasRow = refusal("its layer in Keras 3 works while training only")

  private static let equalization: KerasMapping.Build = {
    (layer, inputs) throws(WeighbridgeError) in
    let input = try layer.onlyInput(inputs)
    layer.ignore("factor", "seed")
    let grid = try layer.integers("tile_grid_size", count: 2, default: [8, 8])
    let operation = CLAHE(
      rows: grid[0], columns: grid[1], clipLimit: max(0, try layer.real("clip_limit", default: 4)))
    if let problem = operation.problem { throw .malformed(problem) }
    let range = try layer.realList("value_range", default: [0, 255])
    guard range.count == 2, range[0] < range[1] else {
      throw .malformed("value_range=\(range), expected two ascending numbers")
    }
    let layout = try layer.dataLayout()
    let type = layer.graph.type(of: input)
    // Wider integers wrap around where Keras counts levels, and are clipped where it looks them up.
    guard type.rank == 4, type.elementType.isFloat || type.elementType.byteCount <= 2 else {
      throw .unsupported(
        "takes a batch of images of floating-point numbers or of integers of at most 16 bits and "
          + "has \(type)")
    }
    let (isChannelsFirst, hasRange) = (layout == .channelsFirst, range != [0, 255])
    let isCast = type.elementType != .float32
    var images = [try layer.cast(input, to: .float32, role: "images")]
    if isChannelsFirst {
      images = try layer.add(Transpose(axes: [0, 2, 3, 1]), images, role: "channels_last")
    }
    if hasRange { images = try layer.addRange(range, [0, 255], images, role: "levels") }
    images = try layer.add(
      operation, images, role: hasRange || isCast || isChannelsFirst ? "equalized" : "")
    if hasRange {
      images = try layer.addRange(
        [0, 255], range, images, role: isCast || isChannelsFirst ? "range" : "")
    }
    if isCast {
      images = try layer.add(
        Cast(to: type.elementType), images, role: isChannelsFirst ? "cast" : "")
    }
    return isChannelsFirst ? try layer.add(Transpose(axes: [0, 3, 1, 2]), images) : images
  }
}

extension AutoContrast: KerasMapped {
  /// Keras 3: `AutoContrast(value_range=(0, 255))`, which treats the axes after the batch as
  /// spatial, whatever the layout.
  static let keras = KerasMapping([
    .plain("AutoContrast") { (layer, inputs) throws(WeighbridgeError) in
      layer.ignore("data_format")
      let range = try layer.realList("value_range", default: [0, 255])
      guard range.count == 2, range[0] != range[1] else {
        throw .malformed("value_range=\(range), expected two different numbers")
      }
      let operation = AutoContrast(low: min(range[0], range[1]), high: max(range[0], range[1]))
      let images = try layer.cast(
        [try layer.onlyInput(inputs)], to: layer.types?.compute ?? .float32)
      return try layer.add(operation, images)
    }
  ])
  static let kerasRow: KerasRow? = nil
}

extension KerasLayer {
  /// Maps values from one range to another, in the same steps as Keras so that they round alike.
  fileprivate mutating func addRange(
    _ from: [Double], _ to: [Double], _ values: [ValueID], role: String
  ) throws(WeighbridgeError) -> [ValueID] {
    let name = role.isEmpty ? "range" : role
    let shifted = try add(
      Rescaling(scale: [1], offset: [-from[0]]), values, role: "\(name)_shifted")
    let width = try number("\(name)_width", from[1] - from[0], like: values[0])
    let fractions = try add(BinaryMath(.divide), shifted + [width], role: "\(name)_shares")
    let scaled = try add(
      Rescaling(scale: [to[1] - to[0]], offset: [0]), fractions, role: "\(name)_scaled")
    return try add(Rescaling(scale: [1], offset: [to[0]]), scaled, role: role)
  }
}
