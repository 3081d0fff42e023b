import CoreMLConversion
import TestSupport
import Testing
import Weighbridge

/// The files of `Samples/CoreML`, which coremltools wrote.
@Suite struct CoreMLSampleTests {
  private func sample(_ name: String) -> String { Paths.sample("CoreML/\(name)") }

  @Test(
    "A size of -1 in a target shape is inferred from the other sizes",
    arguments: ["reshaped_pictures", "reshaped_arrays"])
  func inferredSize(_ name: String) throws {
    let model = try Model(contentsOf: sample("\(name).mlmodel"))
    let outputs = try model.run(ArrayFile.read(sample("\(name).inputs.npz"))).outputs
    let expected = try ArrayFile.read(sample("\(name).outputs.npz"))
    for distance in distances(actual: outputs, expected: expected) {
      #expect(distance.absolute == 0, "\(distance)")
    }
  }

  @Test("Inspection shows a classifier's class label and whether the model is updatable")
  func classifiers() throws {
    let digits = try Inspection(of: sample("digits.mlmodel"))
    #expect(digits.classLabel == .init(name: "label", type: "int64", probabilities: "odds"))
    #expect(digits.isUpdatable == false)
    #expect(digits.description.labels == ["3", "5", "8"])
    let fruit = try Inspection(of: sample("fruit.mlmodel"))
    #expect(fruit.classLabel == .init(name: "label", type: "string", probabilities: "odds"))
    #expect(fruit.isUpdatable == true)
    let other = try Inspection(of: sample("reshaped_arrays.mlmodel"))
    #expect(other.classLabel == nil)
    #expect(try Inspection(of: Paths.sample("ONNX/vgg.onnx")).isUpdatable == nil)
  }

  @Test("The mapping proposed from custom layers' descriptions makes the model run")
  func proposal() throws {
    let error = try #require(failure { _ = try Model(contentsOf: sample("cropped.mlmodel")) })
    #expect(error.code == .unsupported)
    #expect(
      error.reason.contains(#"#0 crop (CropLambda), described as "return x[:, 2:-2, 1:-4]""#))
    #expect(error.reason.contains("Proposed for crop, rescale from what the file says of them."))
    #expect(!error.reason.contains("in place of the dots"))
    let folder = try TemporaryFolder()
    let start = try #require(error.reason.firstIndex(of: "{"))
    try Files.write(error.reason[start...].utf8, to: folder.file("custom.json"))
    var options = ReadOptions()
    options.customLayers = folder.file("custom.json")
    let model = try Model(contentsOf: sample("cropped.mlmodel"), options: options)
    let outputs = try model.run(ArrayFile.read(sample("cropped.inputs.npz"))).outputs
    for distance in distances(
      actual: outputs, expected: try ArrayFile.read(sample("cropped.outputs.npz")))
    {
      #expect(distance.error < 1e-6, "\(distance)")
    }
  }

  @Test("A custom layer is listed with its parameters, its weights' shapes and its description")
  func customLayers() throws {
    let error = try #require(
      failure { _ = try Model(contentsOf: sample("custom_layers.mlmodel")) })
    for text in [
      #"#3 attend (Attend), heads=2, mode="soft", scale=0.5, weights weight_0 [4], weight_1 [2], "#
        + #"described as "Weighs the channels""#,
      "Say what each computes", "Proposed for crop, swish, rescale from",
      #""activation": "swish""#, #""cropping": 2"#, #""weight_1""#,
    ] {
      #expect(error.reason.contains(text), "\(text)")
    }
  }
}
