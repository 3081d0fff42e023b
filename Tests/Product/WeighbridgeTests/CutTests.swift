import GraphIR
import TestSupport
import Testing
import Vision
import Weighbridge

@Suite struct CutTests {
  private let detector = Paths.sample("Models/shape-detector")

  @Test("The features of 200 sketches are those that Keras computed")
  func features() throws {
    let part = try Sketches.model().cut(to: ["dense_1"])
    #expect(part.outputs.map(\.name) == ["dense_1"])
    #expect("\(part.outputs[0].type)" == "float32 [batch, 64]")
    #expect(part.metadata.labels.isEmpty && part.metadata.inputs[0].image != nil)
    let session = try part.session()
    let recorded = try Sketches.recorded("features")
    let files = try Sketches.files()
    #expect(recorded.count == 200 && files.count == recorded.count)
    for (file, expected) in zip(files, recorded) {
      let actual = try session.run(images: ["sketch": [Image(contentsOf: file)]])
      let features = try #require(actual["dense_1"])
      let distance = Distance(
        actual: features, expected: Tensor(.float32, shape: [1, 64], expected))
      #expect(distance.isWithin(absolute: 1e-5, relative: 1e-5), "\(distance)")
    }
  }

  @Test(
    "Each layer of the detector computes what Keras recorded of it, from the input and from others")
  func layers() throws {
    let model = try Model(contentsOf: "\(detector)/shape-detector.h5")
    let input = try ArrayFile.read("\(detector)/input.npy")
    let layers = try ArrayFile.read("\(detector)/layers.npz")
    try #require(layers.count > 20)
    for layer in layers {
      let actual = try model.cut(to: [layer.name]).run(input).outputs
      #expect(distances(actual: actual, expected: [layer])[0].error < 1e-5, "\(layer.name)")
    }
    for (start, end) in zip(layers, layers.dropFirst(5)) {
      let actual = try model.cut(to: [end.name], from: [start.name]).run([start]).outputs
      #expect(
        distances(actual: actual, expected: [end])[0].error < 1e-5, "\(start.name) to \(end.name)")
    }
  }

  @Test("Recorded layer outputs are kept, with their author")
  func references() throws {
    var model = try Model(contentsOf: "\(detector)/shape-detector.h5")
    try model.addReferences(
      inputs: ArrayFile.read("\(detector)/input.npy"),
      outputs: ArrayFile.read("\(detector)/outputs.npz")
        + ArrayFile.read("\(detector)/layers.npz").filter { $0.name != "conv2d_7" },
      author: "keras 2.1.5")
    let part = try model.cut(to: ["leaky_re_lu_5"], from: ["max_pooling2d_2"])
    let set = try #require(part.references.first)
    #expect(set.author == "keras 2.1.5" && part.references.count == 1)
    #expect(set.inputs.map(\.name) == ["max_pooling2d_2"])
    #expect(set.outputs.map(\.name) == ["leaky_re_lu_5"])
    #expect(set.layers.contains { $0.name == "conv2d_4" })
    #expect(!set.layers.contains { $0.name == "conv2d_1" })
    let folder = try TemporaryFolder()
    try part.write(to: folder.file("part.wbm"))
    let read = try Model(contentsOf: folder.file("part.wbm"))
    #expect(try read.verify().passed)
    #expect(read.provenance.options["cut-output"] == "leaky_re_lu_5")
  }

  @Test("References that were not recorded are computed, and their author says so")
  func computedReferences() throws {
    var model = try Sketches.model()
    try model.addReferences(
      inputs: ArrayFile.read("\(Sketches.folder)/input.npy"),
      outputs: ArrayFile.read("\(Sketches.folder)/outputs.npz"), author: "keras 2.1.5")
    let part = try model.cut(to: ["dense_1"], from: ["max_pooling2d_2"])
    let set = try #require(part.references.first)
    #expect(set.author == "weighbridge \(weighbridgeVersion), from the inputs of keras 2.1.5")
    #expect(set.inputs.map(\.tensor.shape) == [[1, 14, 14, 16]])
    #expect(try part.verify().passed)
  }

  @Test("A part of a part is the same as the part")
  func twice() throws {
    let model = try Sketches.model()
    let once = try model.cut(to: ["dense_1"], from: ["conv2d_2"])
    let twice = try model.cut(to: ["dense_2"], from: ["conv2d_2"]).cut(to: ["dense_1"])
    let inputs = try once.generatedInputs(.random(seed: 3))
    #expect(
      distances(actual: try twice.run(inputs).outputs, expected: try once.run(inputs).outputs)
        .allSatisfy { $0.absolute == 0 })
  }

  @Test("Labels are kept for the scores and dropped for other outputs")
  func labels() throws {
    let model = try Sketches.model()
    #expect(try model.cut(to: ["dense_2"], from: ["conv2d_2"]).metadata.labels.count == 8)
    #expect(try model.cut(to: ["dropout_2"]).metadata.labels.isEmpty)
  }

  @Test("An unknown layer is an error that lists the nearest names")
  func unknownLayers() throws {
    let model = try Sketches.model()
    let near = failure { _ = try model.cut(to: ["Dense1"]) }
    #expect(near?.code == .mismatch)
    #expect(near?.reason.contains("the nearest names are dense_1, dense_2") == true)
    let far = failure { _ = try model.cut(to: ["quux"], from: ["conv2d_1"]) }
    #expect(far?.reason.contains("the last of its 11 layers is dense_2") == true)
  }

  @Test("Inputs that do not lead to the output, and outputs named twice, are errors")
  func paths() throws {
    let model = try Sketches.model()
    let backwards = failure { _ = try model.cut(to: ["conv2d_1"], from: ["dense_1"]) }
    #expect(backwards?.code == .mismatch)
    #expect(backwards?.reason.contains("no path leads from dense_1 to conv2d_1") == true)
    let nothing = failure { _ = try model.cut(to: ["dense_1"], from: ["dense_1"]) }
    #expect(nothing?.reason.contains("no layer between") == true)
    let twice = failure { _ = try model.cut(to: ["dense_1", "dense_1"]) }
    #expect(twice?.reason.contains("named twice") == true)
  }

  @Test("A path that bypasses the chosen input is an error that names where it starts")
  func skips() throws {
    let model = try Model(contentsOf: Paths.sample("Models/softening/softening.h5"))
    let error = failure { _ = try model.cut(to: ["painting"], from: ["max_pooling2d_1"]) }
    #expect(error?.code == .mismatch)
    #expect(error?.reason.contains("paths lead to it from photo too") == true)
    let both = try model.cut(to: ["painting"], from: ["max_pooling2d_1", "conv2d_1"])
    #expect(both.inputs.map(\.name) == ["max_pooling2d_1", "conv2d_1"])
  }
}
