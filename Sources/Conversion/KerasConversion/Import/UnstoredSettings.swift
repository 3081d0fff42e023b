import JSON
import KerasFormat
import LayerCatalog

/// Settings that some versions of Keras did not write although they change what a layer computes.
/// The default is taken, and stated as a decision.
struct UnstoredSettings {
  private let classes: Set<String>
  private let setting: String
  /// What is taken instead.
  private let fallback: String
  /// What these versions wrote in its place; `nil` for nothing.
  private var written: JSONValue?
  private let isUnstored: @Sendable (KerasVersion) -> Bool

  /// Found by comparing each constructor with the `get_config` of its class, from Keras 1.0 to 3.15.
  private static let all: [UnstoredSettings] = [
    UnstoredSettings(
      // TensorFlow 1.13 and 1.14.
      classes: ["UpSampling2D"], setting: "interpolation", fallback: "nearest",
      isUnstored: \.isFirstInsideTensorFlow),
    UnstoredSettings(
      // TensorFlow 1.14. (1.13 has no such layers, and 2.0 does not save them.) It does not write
      // use_scale either, which the weights tell.
      classes: ["Attention", "AdditiveAttention"], setting: "causal", fallback: "false",
      isUnstored: \.isFirstInsideTensorFlow),
    UnstoredSettings(
      classes: ["Normalization"], setting: "invert", fallback: "false",
      isUnstored: { $0 >= KerasVersion(2, 10) && $0 < KerasVersion(2, 13) }),
    UnstoredSettings(
      classes: ["Hashing"], setting: "salt", fallback: "null", written: Hashing.unsalted,
      isUnstored: { $0 < KerasVersion(2, 6) }),
    UnstoredSettings(
      classes: ["Conv1DTranspose", "Conv2DTranspose", "Conv3DTranspose"], setting: "output_padding",
      fallback: "null",
      isUnstored: { $0 >= KerasVersion(3, 11) && $0 < KerasVersion(3, 15) }),
    UnstoredSettings(
      classes: ["ConvLSTM2D"], setting: "subsample", fallback: "[1, 1]",
      isUnstored: { $0.major == 1 }),
  ]

  /// The decisions about a layer and those inside it.
  static func decisions(
    of layer: KerasLayerRecord, _ version: KerasVersion
  ) -> [String] {
    let inner = layer.config.nestedObjects.compactMap { object in
      object["config"]?.object.flatMap { config in
        object["class_name"]?.string.map { ($0, config) }
      }
    }
    return ([(layer.className, layer.config)] + inner).flatMap { className, config in
      all.filter {
        $0.classes.contains(className) && $0.isUnstored(version) && config[$0.setting] == $0.written
      }.map {
        let others = $0.written.map { " but \($0.text())" } ?? ""
        return
          "\($0.setting) is taken to be \($0.fallback): some versions of Keras that call themselves "
          + "\(version) did not store it\(others)."
      }
    }
  }
}

extension KerasVersion {
  /// Whether it is that of the Keras inside TensorFlow 1.13 to 2.0, which state the same version.
  var isFirstInsideTensorFlow: Bool {
    suffix.hasPrefix("-tf") && self < KerasVersion(2, 2, 5)
  }
}
