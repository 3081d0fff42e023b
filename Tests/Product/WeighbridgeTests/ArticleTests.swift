import Foundation
import Testing
import Weighbridge

/// The article "From .h5 to a verified model", compiled and run.
@Suite struct ArticleTests {
  @Test("The article's code converts, verifies and runs the sample detector")
  func articleRuns() throws {
    let sample = Project.detector
    try withTemporaryFile("shapes.wbm") { output in
      var model = try Model(contentsOf: "\(sample)/shape-detector.h5")
      let input = model.inputs[0]  // input_1, float32 [batch, 88, 88, 3]
      #expect("\(input.name), \(input.type)" == "input_1, float32 [batch, 88, 88, 3]")

      var options = ReadOptions()
      options.architecture = "\(sample)/shape-detector.h5"
      let same = try Model(contentsOf: "\(sample)/shape-detector.h5", options: options)
      #expect(same.inputs == model.inputs)

      options.inputShapes = [InputShape([88, 88, 3], of: "input_1")]
      let given = try Model(contentsOf: "\(sample)/shape-detector.h5", options: options)
      #expect(given.inputs == model.inputs)

      var edit = DescriptionEdit()
      edit.author = "The Weighbridge authors"
      edit.license = "Apache-2.0"
      edit.inputNames = [.init(old: "input_1", new: "image")]
      edit.outputNames = [.init(old: "conv2d_7", new: "grid")]
      var image = DescriptionEdit.Image(input: "image")
      image.scale = 1.0 / 255
      edit.images = [image]
      edit.labels = try LabelFile.read("\(sample)/labels.names")
      edit.detector = .init(kind: .region, anchors: [2.85, 2.46, 2.96, 4.61, 4.96, 4.19])
      try model.describe(edit)
      #expect(model.metadata.detector?.classCount == 3)

      try model.addReferences(
        inputs: try ArrayFile.read("\(sample)/input.npy"),
        outputs: try ArrayFile.read("\(sample)/outputs.npz"), author: "keras 2.1.5")

      let warnings = try model.write(to: output)
      #expect(warnings.isEmpty)

      var strict = VerifyOptions()
      strict.against = "\(sample)/shape-detector.h5"
      let report = try Model(contentsOf: output).verify(strict)
      for result in report.results where result.status == .failed {
        print(result.name, result.reason)
      }
      #expect(report.passed)
      #expect(report.results.allSatisfy { $0.status == .passed })

      let verified = try Model(contentsOf: output)
      let arrays = try ArrayFile.read("\(sample)/input.npy")
      let grid = try verified.run(arrays).outputs[0].tensor  // float32 [1, 11, 11, 24]
      #expect("\(grid.type)" == "float32 [1, 11, 11, 24]")
    }
  }

  @Test("The article's error is thrown as shown")
  func articleFails() throws {
    let sample = Project.detector
    do {
      _ = try Model(contentsOf: "\(sample)/labels.names")
    } catch {
      guard error.code == .unsupported else { throw error }
      print(error)  // .../labels.names: is a text file, not a model; ...
    }
    let error = try #require(throws: WeighbridgeError.self) {
      _ = try Model(contentsOf: "\(sample)/labels.names")
    }
    let said = "/labels.names: is a text file, not a model"
    #expect(error.description.contains(said))
  }

  @Test("A wrong number of labels is refused with the arithmetic that the article promises")
  func arithmetic() throws {
    var model = try Model(contentsOf: "\(Project.detector)/shape-detector.h5")
    var edit = DescriptionEdit()
    edit.labels = ["ellipse", "rectangle"]
    edit.detector = .init(kind: .region, anchors: [2.85, 2.46, 2.96, 4.61, 4.96, 4.19])
    let error = try #require(throws: WeighbridgeError.self) { try model.describe(edit) }
    #expect(error.code == .mismatch)
    #expect(error.reason.contains("11 x 11 x 24 channels, and 3 anchors x (5 + 2 labels) make 21"))
  }

  @Test("Each example of the article on custom layers is read")
  func customLayers() throws {
    let text = try Project.text("Sources/Product/Weighbridge/Weighbridge.docc/CustomLayers.md")
    let blocks = text.components(separatedBy: "```json\n").dropFirst()
    #expect(blocks.count >= 7)
    for block in blocks {
      try withTemporaryFile("custom.json") { file in
        let json = block.prefix(upTo: block.range(of: "```")?.lowerBound ?? block.endIndex)
        try json.write(toFile: file, atomically: true, encoding: .utf8)
        var options = ReadOptions()
        options.customLayers = file
        do {
          _ = try Model(contentsOf: "\(Project.detector)/shape-detector.h5", options: options)
        } catch {
          // The example was understood; the layers are another model's.
          #expect("\(error)".contains("matches no mapped layer of the model"))
        }
      }
    }
  }
}
