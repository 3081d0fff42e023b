import ConversionCore
import GraphIR
import LayerCatalog

/// A model's description as entries of ONNX metadata (``MetadataScheme/onnx``).
///
/// - `model_author` and `model_license` are ONNX's own keys
/// - `model_version`: the author's version of the model
/// - `Image.BitmapPixelFormat`, `Image.ColorSpaceGamma`, `Image.NominalPixelRange`: ONNX's own keys
///   for a model that takes one image
enum ONNXMetadata {
  /// - Parameter omitted: Fields that do not apply to the file.
  static func entries(
    _ description: ModelDescription, _ provenance: Provenance,
    omitting omitted: Set<MetadataScheme.Field>
  ) -> [(key: String, value: String)] {
    let images = description.inputs.compactMap(\.image)
    let image = images.count == 1 ? images.first : nil
    return DescriptionEntries.entries(
      description, provenance, .onnx, omitting: omitted,
      additional: [
        ("Image.BitmapPixelFormat", image?.bitmapPixelFormat),
        ("Image.ColorSpaceGamma", image.map { _ in "SRGB" }),
        ("Image.NominalPixelRange", image?.nominalPixelRange),
      ])
  }
}

extension ImageInput {
  /// The order of a pixel's components, in ONNX's terms.
  fileprivate var bitmapPixelFormat: String {
    switch colorOrder {
    case .rgb: "Rgb8"
    case .bgr: "Bgr8"
    case .gray: "Gray8"
    }
  }

  /// The range to which 0...255 is mapped, in ONNX's terms; `nil` where ONNX has no name for it.
  fileprivate var nominalPixelRange: String? {
    let ranges = bias.map { [Float($0), Float(255 * scale + $0)] }
    guard let first = ranges.first, ranges.allSatisfy({ $0 == first }) else { return nil }
    return switch first {
    case [0, 255]: "NominalRange_0_255"
    case [0, 1]: "Normalized_0_1"
    case [-1, 1]: "Normalized_1_1"
    default: nil
    }
  }
}
