import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// Sampling at places of a grid (ONNX, Operators.md, GridSample).
enum ONNXGridSampling: ONNXFamily {
  static let nodes: [String: ONNXLayer.Build] = [
    "GridSample": { (layer) throws(WeighbridgeError) in
      [try ONNXGridSampler(&layer).add(to: &layer)]
    }
  ]
}

/// A node that takes the elements of an image at the places of a grid.
private struct ONNXGridSampler {
  private let sampler: PlaceSampler
  /// `[batch, channels, sizes...]`.
  private let image: ONNXValue
  /// `[batch, output sizes..., axes]`: places from -1 to 1, the last axis of the image first.
  private let grid: ONNXValue

  init(_ layer: inout ONNXLayer) throws(WeighbridgeError) {
    (image, grid) = (try layer.input(0), try layer.input(1))
    let alignsCorners = try layer.flag("align_corners")
    let name = try layer.string("mode", default: "linear")
    let formerNames = ["bilinear": "linear", "bicubic": "cubic"]
    guard let mode = PlaceSampler.Mode(rawValue: formerNames[name] ?? name),
      let padding = PlaceSampler.Padding(
        rawValue: try layer.string("padding_mode", default: "zeros"))
    else {
      throw layer.malformed(
        "has the mode \(name), and nearest, linear or cubic and a padding_mode of zeros, border or reflection are "
          + "expected")
    }
    let (imageType, gridType) = (layer.type(image), layer.type(grid))
    let sizes = imageType.shape.dropFirst(2).compactMap(\.value)
    guard (3...5).contains(imageType.rank), sizes.count == imageType.rank - 2, !sizes.contains(0),
      gridType.rank == imageType.rank, gridType.shape.last?.value == sizes.count
    else {
      throw layer.unsupported(
        "samples \(imageType) at \(gridType), and only one to three axes of known sizes at places with as many "
          + "numbers can be read")
    }
    sampler = try PlaceSampler(
      mode: mode, padding: padding, alignsCorners: alignsCorners, sizes: sizes)
  }

  func add(to layer: inout ONNXLayer) throws(WeighbridgeError) -> ONNXValue {
    var places: [ONNXValue] = []
    for axis in sampler.sizes.indices { places.append(try place(axis, &layer)) }
    let elements = try sampler.elements(of: image, &layer)
    let sum = try sampler.sum(of: elements, at: places, &layer)
    let outputSizes = layer.type(grid).shape.dropFirst().dropLast().map(\.value)
    guard outputSizes.filter({ $0 == nil }).count <= 1 else {
      throw layer.unsupported(
        "samples at \(layer.type(grid)), and only one axis of unknown size can be read")
    }
    let target = outputSizes.map { $0.map { ReshapeAxes.Size.fixed($0) } ?? .rest }
    let result = try layer.transposed(sum, [0, 2, 1], role: "samples")
    return try layer.apply(
      ReshapeAxes(layer.keptSizes(layer.type(result), 0..<2) + target), to: result)
  }

  /// The places along an axis, where the elements have the numbers 0, 1, ...: `[batch, places]`.
  private func place(
    _ axis: Int, _ layer: inout ONNXLayer
  ) throws(WeighbridgeError) -> ONNXValue {
    let type = layer.type(grid)
    let column = sampler.sizes.count - 1 - axis
    let part = try layer.apply(
      Slice([.init(axis: type.rank - 1, start: column, stop: column + 1, step: 1)]), to: grid,
      role: "column_\(axis)")
    let flat = try layer.apply(
      ReshapeAxes(layer.keptSizes(type, 0..<1) + [.rest]), to: part, role: "grid_\(axis)")
    let size = Double(sampler.sizes[axis])
    // -1 and 1 are the centers of the first and the last element, or their outer edges.
    let factor = (sampler.alignsCorners ? size - 1 : size) / 2
    let scaled = try layer.apply(
      Multiply(), to: flat, layer.number(factor, like: flat, "factor"), role: "scaled_\(axis)")
    return try layer.apply(
      Add(), to: scaled, layer.number((size - 1) / 2, like: flat, "middle"), role: "shifted_\(axis)"
    )
  }
}
