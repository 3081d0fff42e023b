import GraphIR
import JSON
import TestSupport
import Testing
import Weighbridge

/// Core ML files that coremltools 0.8 wrote, compared with the Keras files from which they were
/// converted.
@Suite(.enabled(if: Fixtures.areAvailable, "\(Fixtures.skipReason)"))
struct CoreMLImportTests {
  private let unet = Fixtures.file("coreml/small_unet.mlmodel")
  private let style = Fixtures.file(
    "keras/real/van-gogh/FastStyleTransferVanGoghStarryNight.mlmodel")

  /// What the custom layers of the style network compute.
  static let customLayers = """
    {"layers": {
      "res_crop_*": {"class_name": "Cropping2D", "config": {"cropping": 2}},
      "rescale_output": {"class_name": "Rescaling", "config": {"scale": 127.5, "offset": 127.5}}}}
    """

  private func styleNetwork(_ folder: TemporaryFolder) throws -> Model {
    try Files.write(Self.customLayers.utf8, to: folder.file("custom.json"))
    var options = ReadOptions()
    options.customLayers = folder.file("custom.json")
    return try Model(contentsOf: style, options: options)
  }

  /// Reads recorded images `[1, height, width, channels]` in Core ML's layout.
  private func images(_ path: String, named name: String) throws -> [NamedTensor] {
    try ArrayFile.read(Fixtures.file("keras/\(path)")).map { array in
      NamedTensor(
        name: name,
        tensor: array.tensor.slice(0..<1, along: 0).permuted([0, 3, 1, 2]).reshaped(
          [3, 1, 2].map { array.tensor.shape[$0] }))
    }
  }

  @Test("small_unet gives what Keras gave")
  func unetOutputs() throws {
    let model = try Model(contentsOf: unet)
    #expect(model.inputs.map(\.type.description) == ["float32 [3, 448, 448]"])
    let actual = try model.run(images("seeds/small_unet/input.npy", named: "image")).outputs
    let expected = try images("seeds/small_unet/outputs.npz", named: "output")
    for distance in distances(actual: actual, expected: expected) {
      #expect(distance.isWithin(absolute: 1e-5, relative: 1e-5), "\(distance)")
    }
  }

  @Test("small_unet is the same as the Keras file it was made of")
  func unetDifferences() throws {
    var options = ReadOptions()
    options.architecture = Fixtures.file("keras/seeds/small_unet/small_unet_arch.json")
    let keras = try Model(
      contentsOf: Fixtures.file("keras/seeds/small_unet/small_unet_weightsonly.h5"),
      options: options)
    let differences = try keras.differences(from: Model(contentsOf: unet))
    #expect(differences.isEmpty)
    #expect(differences.comparedWeights == 36)
  }

  @Test("The image's preprocessing and the metadata are read")
  func description() throws {
    let image = try Model(contentsOf: unet).metadata.inputs[0].image
    #expect(image?.colorOrder == .rgb)
    #expect(abs((image?.scale ?? 0) - 1.0 / 255) < 1e-9)
    let description = try styleNetwork(TemporaryFolder()).metadata
    #expect(description.author == "Joshua Newnham")
    #expect(description.license?.text == "BSD")
    #expect(description.outputs[0].summary == "Stylized content image")
  }

  @Test("The style network with its custom layers mapped paints what Keras painted")
  func styleOutputs() throws {
    let model = try styleNetwork(TemporaryFolder())
    let inputs = try images("real/van-gogh/noise_inputs.npz", named: "image")
    let expected = try images("real/van-gogh/noise_outputs.npz", named: "output")
    for distance in distances(actual: try model.run(inputs).outputs, expected: expected) {
      #expect(distance.error <= 1e-5, "\(distance)")
    }
  }

  @Test("The style network has the weights of its Keras file, with batch normalizations folded")
  func styleDifferences() throws {
    let folder = try TemporaryFolder()
    try Files.write(StyleNetwork.json.text().utf8, to: folder.file("style.json"))
    var options = ReadOptions()
    options.architecture = folder.file("style.json")
    options.customLayers =
      "\(Paths.project)/Tests/Conversion/ConversionTests/Files/style_layers.json"
    let keras = try Model(
      contentsOf: Fixtures.file("keras/real/van-gogh/van-gogh-starry-night_style.h5"),
      options: options)
    let differences = try keras.differences(from: styleNetwork(folder))
    let folded = differences.items.filter { $0.reason.hasPrefix("is folded") }
    #expect(folded.count == 15)
    #expect(!differences.items.contains { $0.kind == .weight && $0.counts })
    #expect(differences.items.allSatisfy { !$0.counts }, "\(differences.items)")
  }

  @Test("Custom layers without a mapping are listed in the error, or kept on request")
  func unknownLayers() throws {
    let error = try #require(failure { _ = try Model(contentsOf: style) })
    #expect(error.code == .unsupported)
    #expect(error.reason.hasPrefix("6 layers of a class that is not supported"))
    var options = ReadOptions()
    options.keepUnknown = true
    let kept = try Model(contentsOf: style, options: options)
    #expect(kept.content.graph.opaqueNodes.count == 6)
  }
}
