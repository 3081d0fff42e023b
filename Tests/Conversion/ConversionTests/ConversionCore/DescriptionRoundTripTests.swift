import Bytes
import ConversionCore
import FormatRegistry
import GraphIR
import TestSupport
import Testing
import Weighbridge

/// Descriptions that are written in every format and read back.
@Suite struct DescriptionRoundTripTests {
  private let detector = Paths.sample("Models/shape-detector/shape-detector.h5")

  /// The small detector with every field of the description set, and with user-defined entries
  /// under keys that formats use.
  private func model(labels: [String] = ["ellipse", "rectangle, square", "triangle"]) throws
    -> Model
  {
    var model = try Model(contentsOf: detector)
    var edit = ModelCase.shapeDetector
    edit.name = "shapes"
    edit.license = "BSD-3-Clause"
    edit.licenseNote = "of the weights; the images are not free"
    edit.version = "1.2"
    edit.images[0].scale = 1 / 127.5
    edit.images[0].bias = [-1, -0.9, -0.8]
    edit.images[0].resize = .letterbox
    edit.labels = labels
    edit.detector?.confidenceThreshold = 0.3
    edit.detector?.iouThreshold = 0.4
    edit.detector?.suppression = .greedy
    edit.userDefined = [
      "note": "kept", "name": "n", "author": "a", "labels": "mine", "classes": "c", "detector": "d",
      "source": "s", "converter": "me", "user.x": "x", "image.x": "i", "name.x": "k", "format": "f",
      "licenseNote": "l", "model_author": "m", "inputs": "p", "Image.ColorSpaceGamma": "g",
      "": "nothing",
    ]
    try model.describe(edit)
    return model
  }

  private func read(_ path: String) throws -> Model {
    var options = ReadOptions()
    if path.hasSuffix(".safetensors") { options.architecture = detector }
    return try Model(contentsOf: path, options: options)
  }

  /// The description in a file of a format: in Core ML its axes are channels-first, which the
  /// report of the export says.
  private func expected(_ description: ModelDescription, _ target: String) -> ModelDescription {
    var description = description
    if target.hasPrefix("ml") {
      description.inputs[0].image?.layout = .channelsFirst
      description.detector?.grid?.order = .channelsFirst
    }
    return description
  }

  @Test(
    "The complete description survives every format that stores it",
    arguments: ["mlmodel", "mlpackage", "onnx", "safetensors", "keras", "h5"])
  func roundTrip(_ target: String) throws {
    let folder = try TemporaryFolder()
    for labels in [["ellipse", "rectangle, square", "triangle"], ["a", "b", "c"]] {
      let model = try model(labels: labels)
      var options = ExportOptions()
      if target.hasPrefix("ml") { options.withNMS = false }
      let report = try model.export(to: folder.file("m.\(target)"), options: options)
      #expect(report.notes.contains { $0.contains("channels first") } == target.hasPrefix("ml"))
      let copy = try read(folder.file("m.\(target)"))
      #expect(copy.metadata == expected(model.metadata, target))
      #expect(copy.provenance.framework == "keras")
      let isKeras = ["keras", "h5"].contains(target)
      #expect(isKeras || copy.provenance.frameworkVersion == model.provenance.frameworkVersion)
    }
  }

  @Test("A file of weights alone is inspected with its description, also the note on the license")
  func weightsAlone() throws {
    let folder = try TemporaryFolder()
    let model = try model()
    try model.export(to: folder.file("m.safetensors"))
    let found = try Inspection(of: folder.file("m.safetensors")).description
    #expect(found.license == model.metadata.license)
    #expect(found.license?.note == "of the weights; the images are not free")
    #expect(found.name == "shapes" && found.version == "1.2")
    #expect(found.labels == model.metadata.labels)
    #expect(found.userDefined == model.metadata.userDefined)
    #expect(folder.names == ["m.safetensors"])
  }

  @Test("What a format does not hold is reported")
  func losses() throws {
    let folder = try TemporaryFolder()
    let model = try model()
    let arrays = try model.export(to: folder.file("m.npz"))
    #expect(arrays.notes.contains("the description is not in the file"))
    let network = try model.export(to: folder.file("m.cfg"))
    let fields = [
      "the author", "the license", "the version", "the description", "the note on the license",
      "the descriptions of inputs and outputs", "the labels", "the further metadata",
      "every image as red, green, blue",
    ]
    for field in fields {
      #expect(network.notes.contains { $0.contains(field) }, "\(field)")
    }
  }

  @Test(
    "A file that returns boxes keeps everything but the description of the heads",
    arguments: ["mlmodel", "onnx"])
  func boxes(_ target: String) throws {
    let folder = try TemporaryFolder()
    let model = try model()
    var options = ExportOptions()
    options.withNMS = true
    let report = try model.export(to: folder.file("m.\(target)"), options: options)
    #expect(report.notes.contains { $0.hasPrefix("the descriptions of the outputs are not") })
    let copy = try read(folder.file("m.\(target)"))
    let expectedDescription = expected(model.metadata, target)
    var actual = copy.metadata
    #expect(actual.detector?.confidenceThreshold == 0.3 && actual.detector?.iouThreshold == 0.4)
    let anchors = "the detector's anchors and masks are not in the file, which gives boxes"
    #expect((target == "onnx") == report.notes.contains(anchors))
    (actual.detector, actual.outputs) = (expectedDescription.detector, expectedDescription.outputs)
    #expect(actual == expectedDescription)
  }

  @Test(
    "A description with names only stays that way in every format", arguments: ["mlmodel", "onnx"])
  func bare(_ target: String) throws {
    let folder = try TemporaryFolder()
    let model = try Model(contentsOf: detector)
    try model.export(to: folder.file("m.\(target)"))
    let copy = try read(folder.file("m.\(target)"))
    #expect(copy.metadata == model.metadata)
  }
}
