import GraphIR
import JSON
import TestSupport
import Testing
import Weighbridge

/// The style network end to end: an image in, a painting out.
@Suite(.enabled(if: Fixtures.areAvailable, "\(Fixtures.skipReason)"))
struct StylePaintingTests {
  private let folder = Result { try TemporaryFolder() }
  private static let files = "keras/real/van-gogh"

  /// The weights of Keras with the network's architecture, or the file that coremltools made of them.
  private func model(_ file: String) throws -> Model {
    let folder = try folder.get()
    var options = ReadOptions()
    if file.hasSuffix(".h5") {
      try Files.write(StyleNetwork.json.text().utf8, to: folder.file("style.json"))
      options.architecture = folder.file("style.json")
      options.customLayers =
        "\(Paths.project)/Tests/Conversion/ConversionTests/Files/style_layers.json"
    } else {
      try Files.write(CoreMLImportTests.customLayers.utf8, to: folder.file("custom.json"))
      options.customLayers = folder.file("custom.json")
    }
    var model = try Model(
      contentsOf: Fixtures.file("\(Self.files)/\(file)"), options: options)
    if model.metadata.inputs[0].image == nil {
      var edit = DescriptionEdit()
      edit.images = [.init(input: model.inputs[0].name)]
      try model.describe(edit)
    }
    return model
  }

  /// A recorded input as an image file has it, in whole numbers.
  private func image(_ name: String) throws -> Image {
    let tensor = try ArrayFile.read(Fixtures.file("\(Self.files)/\(name)_inputs.npz"))[0].tensor
    return Image(
      width: tensor.shape[2], height: tensor.shape[1],
      pixels: tensor.doubles.map { UInt8($0.rounded(.toNearestOrEven)) })
  }

  @Test(
    "Both files paint both images as Keras paints them",
    arguments: ["van-gogh-starry-night_style.h5", "FastStyleTransferVanGoghStarryNight.mlmodel"],
    ["noise", "smooth"])
  func paintings(file: String, name: String) throws {
    let painting = try Stylizer(model(file)).stylize(image(name))
    try #require(painting.width == 320 && painting.height == 320)
    let want = try #require(
      try ArrayFile.read(
        "\(Paths.project)/Tests/Conversion/ConversionTests/Files/style_painted.npz")[name])
    let every = want.doubles.indices.map { index -> Int in
      let (pixel, component) = (index / 3, index % 3)
      return Int(painting.pixels[(pixel / 80 * 4 * 320 + pixel % 80 * 4) * 3 + component])
    }
    let differences = zip(every, want.doubles).map { abs(Double($0) - $1) }
    // Numbers that lie halfway between two bytes may be rounded either way.
    #expect(differences.max() ?? 9 <= 1, "\(differences.max() ?? 9)")
    #expect(differences.reduce(0, +) < 0.005 * Double(want.count))
  }
}
