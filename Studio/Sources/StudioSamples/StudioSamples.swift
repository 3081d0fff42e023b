import Foundation
import Weighbridge

/// Lays out folders for `weighbridge-studio` from the samples of the repository:
/// `studio-samples SAMPLES FOLDER`.
@main
struct StudioSamples {
  private let samples: String
  private let folder: String

  static func main() throws {
    guard CommandLine.arguments.count == 3 else {
      FileHandle.standardError.write(Data("usage: studio-samples SAMPLES FOLDER\n".utf8))
      exit(2)
    }
    let work = StudioSamples(
      samples: CommandLine.arguments[1], folder: CommandLine.arguments[2])
    for name in ["models", "photos", "sketches"] {
      try? FileManager.default.removeItem(atPath: "\(work.folder)/\(name)")
      try FileManager.default.createDirectory(
        atPath: "\(work.folder)/\(name)", withIntermediateDirectories: true)
    }
    try work.copyScenes()
    try work.copySketches()
    try work.writeModels()
  }

  /// The 60 drawn scenes.
  private func copyScenes() throws {
    let scenes = "\(samples)/Models/scene-detector/scenes"
    for name in try FileManager.default.contentsOfDirectory(atPath: scenes) {
      try FileManager.default.copyItem(
        atPath: "\(scenes)/\(name)", toPath: "\(folder)/photos/\(name)")
    }
  }

  /// The 200 sketches, `007-star.png` in the folder `star`, in black on white as people draw them.
  private func copySketches() throws {
    let sketches = "\(samples)/Models/sketch-classifier/sketches"
    for name in try FileManager.default.contentsOfDirectory(atPath: sketches) {
      let label = name.drop { $0 != "-" }.dropFirst().prefix { $0 != "." }
      let target = "\(folder)/sketches/\(label)"
      try FileManager.default.createDirectory(
        atPath: target, withIntermediateDirectories: true)
      let sketch = try Image(contentsOf: "\(sketches)/\(name)")
      let negative = Image(
        width: sketch.width, height: sketch.height, pixels: sketch.pixels.map { 255 - $0 })
      try negative.write(to: "\(target)/\(name)")
    }
  }

  /// The models, with what their files do not say.
  private func writeModels() throws {
    let models = "\(samples)/Models"
    var scenes = DescriptionEdit()
    scenes.summary = "Finds ellipses, rectangles and triangles in a drawn picture"
    scenes.images = [image("input_1", scale: 1 / 255)]
    scenes.labels = try LabelFile.read("\(models)/shape-detector/labels.names")
    let anchors = try String(
      contentsOfFile: "\(models)/shape-detector/anchors.txt", encoding: .utf8)
    var detector = DescriptionEdit.DetectorEdit(
      kind: .region,
      anchors: anchors.split { $0 == "," || $0.isWhitespace }.compactMap { Double($0) })
    // Where the model hesitates between two classes, the better one counts.
    detector.suppression = .classAgnostic
    scenes.detector = detector
    try write("scene-detector", scenes)

    var sketches = DescriptionEdit()
    sketches.summary = "Tells what a drawing in black on white shows"
    // The model was trained with white ink on black.
    sketches.images = [image("conv2d_1_input", scale: -1 / 255, bias: 1)]
    sketches.labels = try LabelFile.read("\(models)/sketch-classifier/labels.names")
    try write("sketch-classifier", sketches)

    var softening = DescriptionEdit()
    softening.summary = "Softens a picture and gives it a warm tone"
    softening.images = [image("photo", scale: 1 / 255)]
    try write("softening", softening)
  }

  private func image(
    _ input: String, scale: Double, bias: Double? = nil
  ) -> DescriptionEdit.Image {
    var image = DescriptionEdit.Image(input: input)
    image.scale = scale
    image.bias = bias.map { [$0] }
    return image
  }

  private func write(_ name: String, _ edit: DescriptionEdit) throws {
    var model = try Model(contentsOf: "\(samples)/Models/\(name)/\(name).h5")
    var edit = edit
    (edit.author, edit.license) = ("The Weighbridge authors", "Apache-2.0")
    try model.describe(edit)
    try model.write(to: "\(folder)/models/\(name).wbm")
  }
}
