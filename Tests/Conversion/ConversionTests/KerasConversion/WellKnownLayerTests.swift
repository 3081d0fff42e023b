import Foundation
import KerasConversion
import TestSupport
import Testing
import Weighbridge

/// Layers of others that are known by themselves, against what Keras computed with them.
@Suite struct WellKnownLayerTests {
  private func sample(_ name: String) -> String { Paths.sample("Custom/\(name)") }

  @Test(
    "A well-known layer computes what its own code computed, and the provenance records it",
    arguments: [
      "well_known.h5", "operators.h5", "addons.h5", "addons_activations.h5", "TCN/2.9.3.h5",
      "TCN/3.1.0.h5", "TCN/3.5.4.h5",
      "TCN/3.5.6.keras",
    ])
  func golden(name: String) throws {
    let model = try Model(contentsOf: sample(name))
    let base = name.replacing(/\.(h5|keras)$/, with: "")
    let outputs = try model.run(ArrayFile.read(sample("\(base).inputs.npz"))).outputs
    let wanted = try ArrayFile.read(sample("\(base).outputs.npz"))
    #expect(Set(outputs.map(\.name)) == Set(wanted.map(\.name)))
    for distance in distances(actual: outputs, expected: wanted) {
      #expect(distance.isWithin(absolute: 1e-5, relative: 1e-5), "\(distance)")
    }
    // Keras 2.15 writes TensorFlow Addons' mish under the name of its own.
    let ownNames: Set = ["addons_mish"]
    #expect(
      Set(model.provenance.decisions.map(\.layer))
        == Set(outputs.map(\.name)).subtracting(ownNames))
  }

  @Test(
    "There are builders for the layers of Keras that well-known layers consist of",
    arguments: [
      "Activation", "BatchNormalization", "Conv1D", "Conv2D", "Conv3D", "Dense", "Dropout",
      "Embedding", "LayerNormalization", "MultiHeadAttention",
    ])
  func parts(className: String) {
    #expect(KerasMappings.layers.keys.contains(className))
  }

  @Test(
    "A layer of the same name with other settings or weights is refused",
    arguments: [
      ("L2Normalization", "", "the setting gamma_init is missing"),
      ("L2Normalization", "\"gamma_init\": 20", "normalizes the last of four axes"),
      ("Scale", "\"axis\": -1", "the setting momentum is missing"),
      ("Scale", "\"axis\": -1, \"momentum\": 0.9", "has the weights []"),
      ("ReflectionPadding2D", "", "the setting padding is missing"),
      ("ReflectionPadding2D", "\"padding\": [1, 2]", "pads by [1, 2] and [1, 2], and authors"),
      ("InstanceNormalization", "\"epsilon\": 1e-5", "the setting scale is missing"),
      ("Addons>GELU", "\"sharpness\": 2", "has the unknown setting sharpness=2"),
      ("Addons>WeightNormalization", "\"data_init\": true", "wraps no layer"),
      ("TCN", "\"nb_filters\": 3", "takes float32 [batch, length, features]"),
      ("Addons>GroupNormalization", "\"axis\": -1, \"odd\": 3, \"groups\": 1", "the weight gamma"),
    ])
  func others(className: String, settings: String, reason: String) throws {
    let folder = try TemporaryFolder()
    let layers = CustomArchitecture.dense(between: [(className, "y")], settings: settings)
    try Files.write(CustomArchitecture.json(layers).utf8, to: folder.file("net.json"))
    var options = ReadOptions()
    options.architecture = folder.file("net.json")
    let error = failure {
      _ = try Model(
        contentsOf: Paths.sample("Hostile/keras/weights_only.h5"), options: options)
    }
    #expect(
      error?.description.contains("#2 y (\(className)): \(reason)") == true, "\(error as Any)")
  }

  @Test("A layer of unit length by another author is proposed, and not read by itself")
  func unitLength() throws {
    let folder = try TemporaryFolder()
    let layers = CustomArchitecture.dense(between: [("L2Norm", "y")], settings: "\"size\": 4")
    try Files.write(CustomArchitecture.json(layers).utf8, to: folder.file("net.json"))
    var options = ReadOptions()
    options.architecture = folder.file("net.json")
    let path = Paths.sample("Hostile/keras/weights_only.h5")
    let error = try #require(failure { _ = try Model(contentsOf: path, options: options) })
    #expect(error.reason.contains("Proposed for y from what the file says of it."))
    let start = try #require(error.reason.range(of: "{\n"))
    try Files.write(error.reason[start.lowerBound...].utf8, to: folder.file("custom.json"))
    options.customLayers = folder.file("custom.json")
    let model = try Model(contentsOf: path, options: options)
    #expect(model.provenance.decisions.contains { $0.text.contains("UnitNormalization") })
  }
}
