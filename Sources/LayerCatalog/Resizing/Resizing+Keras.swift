import Bytes
import GraphIR
import JSON
import KerasFormat

/// Keras: `Resizing(height, width, interpolation="bilinear", crop_to_aspect_ratio=False)`, and
/// `RandomCrop`, which when the model runs resizes so as well.
extension Resizing {
  package static let keras = SourceMapping.mapped(
    KerasMapping(layers: [
      "Resizing": { (layer, inputs) throws(WeighbridgeError) in
        let extents = try layer.pictureExtents()
        let operation = Resizing(
          extents: extents, interpolation: try interpolation(&layer),
          keepsProportions: try layer.flag("crop_to_aspect_ratio", default: false),
          layout: .channelsLast)
        return try layer.add(operation, inputs)
      },
      "RandomCrop": { (layer, inputs) throws(WeighbridgeError) in
        let extents = try layer.pictureExtents()
        layer.ignore("seed")
        guard layer.version >= KerasVersion(2, 15) else {
          throw WeighbridgeError(
            .unsupported,
            "what RandomCrop of Keras \(layer.version) does when the model runs was "
              + "never compared with that version; it is known for 2.15")
        }
        let operation = Resizing(
          extents: extents, interpolation: .bilinear, keepsProportions: true,
          layout: .channelsLast)
        return try layer.add(operation, inputs)
      },
    ]))

  private static func interpolation(
    _ layer: inout KerasLayer
  ) throws(WeighbridgeError) -> ResizingInterpolation {
    let name = layer.take("interpolation") ?? "bilinear"
    // Keras takes any case.
    switch name.string?.lowercased() {
    case "bilinear": return .bilinear
    case "nearest": return .nearest
    case "bicubic": return .bicubic
    case "area": return .area
    case "lanczos3": return .lanczos3
    case "lanczos5": return .lanczos5
    case "gaussian", "mitchellcubic":
      throw WeighbridgeError(
        .unsupported,
        "interpolation=\(name.text()) is not supported: it changes a picture of the right size "
          + "or does not, depending on whether TensorFlow knew the size beforehand")
    default: throw layer.wrong("interpolation", name, "bilinear, nearest, bicubic, area, lanczos3")
    }
  }
}

extension KerasLayer {
  /// The settings `height` and `width` of a layer that makes pictures of one size.
  mutating func pictureExtents() throws(WeighbridgeError) -> [Int] {
    let extents = [try integer("height"), try integer("width")]
    if let problem = Resizing.problem(extents) { throw WeighbridgeError(.malformed, problem) }
    return extents
  }
}
