import Foundation
import Testing
import Vision
import Weighbridge

/// The article "Smaller, and by how much", compiled and run.
@Suite struct CompactArticleTests {
  private let sample = "\(Project.folder)/Samples/Models/sketch-classifier"

  private func sketchClassifier() throws -> Model {
    var model = try Model(contentsOf: "\(sample)/sketch-classifier.h5")
    var edit = DescriptionEdit()
    edit.inputNames = [.init(old: nil, new: "sketch")]
    var image = DescriptionEdit.Image(input: "sketch")
    image.scale = 1.0 / 255
    edit.images = [image]
    edit.labels = try LabelFile.read("\(sample)/labels.names")
    try model.describe(edit)
    try model.addReferences(
      inputs: ArrayFile.read("\(sample)/input.npy"),
      outputs: ArrayFile.read("\(sample)/outputs.npz"),
      author: "keras 2.1.5")
    return model
  }

  @Test("The code makes the model smaller, and the record says by how much")
  func article() throws {
    let model = try sketchClassifier()
    let names = try FileManager.default.contentsOfDirectory(atPath: "\(sample)/sketches").sorted()
    let sketches = try names.prefix(40).map { try Image(contentsOf: "\(sample)/sketches/\($0)") }
    try #require(sketches.count == 40)
    try withTemporaryFile("sketches.wbm") { path in
      try model.compacted().write(to: path)
      #expect(try Model(contentsOf: path).verify().passed)
    }

    let classifier = try Classifier(model)
    var options = CompactOptions()
    options.budget = .error(0.01)
    options.calibration = CompactOptions.Examples(
      try sketches.map { try [NamedTensor(name: "sketch", tensor: classifier.tensor(for: $0))] },
      words: "\(sketches.count) sketches")
    let small = try model.compacted(options)
    try withTemporaryFile("small.wbm") { path in
      try small.write(to: path)
      let record = try Inspection(of: path).compaction
      let stated = try #require(record)
      #expect(
        stated.inputs == "10 of 40 sketches, kept back, and 30 generated images of 5 kinds"
          && stated.inputCount == 40)
      #expect(try #require(stated.outputs.first).bound <= 0.01)
      #expect(stated.originalByteCount == 320_800)
      #expect(try Model(contentsOf: path).verify().passed)
    }
  }
}
