import TestSupport
import Testing
import Weighbridge

/// The small trained models in `Samples/Models`.
@Suite struct SampleModelTests {
  private func sample(_ path: String) -> String { Paths.sample("Models/\(path)") }

  @Test(
    "A sample computes what Keras computed", arguments: ["shape-detector", "sketch-classifier"])
  func outputs(name: String) throws {
    let model = try Model(contentsOf: sample("\(name)/\(name).h5"))
    let outputs = try model.run(ArrayFile.read(sample("\(name)/input.npy"))).outputs
    for distance in distances(
      actual: outputs, expected: try ArrayFile.read(sample("\(name)/outputs.npz")))
    {
      #expect(distance.error <= 1e-5, "\(distance)")
    }
  }

  @Test("Every layer of the detector computes what Keras computed, under Keras's name")
  func layers() throws {
    let expected = try ArrayFile.read(sample("shape-detector/layers.npz"))
    let model = try Model(contentsOf: sample("shape-detector/shape-detector.h5"))
    let input = try ArrayFile.read(sample("shape-detector/input.npy"))
    let layers = try model.run(input, keepsLayers: true).layers
    #expect(expected.count == 23)
    #expect(Set(layers.map(\.name)) == Set(expected.map(\.name)))
    for layer in expected {
      let distance = Distance(actual: try #require(layers[layer.name]), expected: layer.tensor)
      #expect(distance.isWithin(absolute: 1e-5, relative: 1e-5), "\(layer.name): \(distance)")
    }
  }

  @Test("A verification with the references of all layers passes")
  func verification() throws {
    let folder = try TemporaryFolder()
    var model = try Model(contentsOf: sample("shape-detector/shape-detector.h5"))
    let outputs = try ArrayFile.read(sample("shape-detector/outputs.npz"))
    try model.addReferences(
      inputs: ArrayFile.read(sample("shape-detector/input.npy")),
      outputs: [NamedTensor(name: model.outputs[0].name, tensor: outputs[0].tensor)]
        + ArrayFile.read(sample("shape-detector/layers.npz")).filter { $0.name != "conv2d_7" },
      author: "keras 2.1.5")
    try model.write(to: folder.file("detector.wbm"))
    var options = VerifyOptions()
    options.layers = true
    options.against = sample("shape-detector/shape-detector.h5")
    let report = try Model(contentsOf: folder.file("detector.wbm")).verify(options)
    #expect(report.passed, "\(report.results)")
    let passed = Set(report.results.filter { $0.status == .passed }.map(\.name))
    #expect(
      passed == ["container", "shapes", "weights", "source", "references", "engines", "layers"])
  }

  @Test("The classifier's labels fit its output, and one label less does not")
  func labels() throws {
    var model = try Model(contentsOf: sample("sketch-classifier/sketch-classifier.h5"))
    var edit = DescriptionEdit()
    edit.labels = try LabelFile.read(sample("sketch-classifier/labels.names"))
    try model.describe(edit)
    #expect(model.metadata.labels.count == 8)
    edit.labels?.removeLast()
    let error = failure { try model.describe(edit) }
    #expect(error?.code == .mismatch)
    #expect(error?.reason.contains("7 labels, and no output has 7 elements") == true)
  }
}
