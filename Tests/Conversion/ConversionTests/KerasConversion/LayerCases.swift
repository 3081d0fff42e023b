import TestSupport
import Testing

/// One recorded layer: a model of one layer with inputs and what Keras made of them.
struct LayerCase: CustomTestStringConvertible, Sendable {
  let kind: String
  let name: String

  var testDescription: String { "\(kind)/\(name)" }
  /// The kind of operator that the layer becomes.
  var operatorKind: String {
    switch (kind, name) {
    case ("thresholded_relu", _): "multiply"  // by whether the number exceeds the threshold
    case ("center_crop", "center_crop_smaller_input"): "resizing"
    default: kind
    }
  }
  var model: String { path("h5") }
  var inputs: String { path("inputs.npz") }
  var outputs: String { path("outputs.npz") }

  private func path(_ suffix: String) -> String {
    Paths.sample("Layers/\(kind)/\(name).\(suffix)")
  }

  /// All cases, sorted.
  static let all: [LayerCase] = Files.names(in: Paths.sample("Layers")).flatMap { kind in
    Files.names(in: Paths.sample("Layers/\(kind)")).filter { $0.hasSuffix(".h5") }.map {
      LayerCase(kind: kind, name: String($0.dropLast(3)))
    }
  }
}
