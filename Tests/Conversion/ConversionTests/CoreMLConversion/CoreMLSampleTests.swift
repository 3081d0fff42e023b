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

  @Test(
    "Layers compute what NumPy computed by Apple's specification, with both engines",
    arguments: [
      "resized_pictures", "resized_arrays", "upsampled", "softmax_arrays", "softmax_pictures",
      "low_ranks", "remembering", "activations", "defaults", "convolved",
    ], Engine.allCases)
  func specified(_ name: String, engine: Engine) throws {
    let model = try Model(contentsOf: sample("\(name).mlmodel"))
    var options = RunOptions()
    options.engine = engine
    let outputs = try model.run(
      ArrayFile.read(sample("\(name).inputs.npz")), options: options
    ).outputs
    let expected = try ArrayFile.read(sample("\(name).outputs.npz"))
    #expect(outputs.count == expected.count)
    for distance in distances(actual: outputs, expected: expected) {
      #expect(distance.isWithin(absolute: 1e-5, relative: 1e-5), "\(distance)")
    }
  }

  @Test("Resized images keep their grid when they are written as Core ML and as ONNX")
  func gridsWritten() throws {
    let folder = try TemporaryFolder()
    let model = try Model(contentsOf: sample("resized_arrays.mlmodel"))
    let expected = try ArrayFile.read(sample("resized_arrays.outputs.npz"))
    for file in ["m.mlmodel", "m.onnx", "m.wbm"] {
      if file == "m.wbm" {
        try model.write(to: folder.file(file))
      } else {
        try model.export(to: folder.file(file))
      }
      let copy = try Model(contentsOf: folder.file(file))
      let outputs = try copy.run(ArrayFile.read(sample("resized_arrays.inputs.npz"))).outputs
      for distance in distances(actual: outputs, expected: expected) {
        #expect(distance.isWithin(absolute: 1e-5, relative: 1e-5), "\(file): \(distance)")
      }
    }
  }

  @Test("A softmax of a vector or a matrix says along which axis it was taken")
  func softmaxDecisions() throws {
    let model = try Model(contentsOf: sample("softmax_arrays.mlmodel"))
    let decided = model.content.provenance.decisions.map(\.layer)
    #expect(decided == ["softmax_vector", "softmax_matrix"])
  }

  @Test("The state that a window leaves makes the next window's result")
  func state() throws {
    let model = try Model(contentsOf: sample("remembering.mlmodel"))
    #expect(model.inputs.map(\.name) == ["features", "h_in", "c_in"])
    let first = try model.run(ArrayFile.read(sample("remembering.before.npz"))).outputs
    var inputs = try ArrayFile.read(sample("remembering.inputs.npz")).filter {
      $0.name == "features"
    }
    for (output, input) in [("h_out", "h_in"), ("c_out", "c_in")] {
      let state = try #require(first.first { $0.name == output })
      inputs.append(NamedTensor(name: input, tensor: state.tensor))
    }
    let expected = try ArrayFile.read(sample("remembering.outputs.npz"))
    for distance in distances(actual: try model.run(inputs).outputs, expected: expected) {
      #expect(distance.isWithin(absolute: 1e-5, relative: 1e-5), "\(distance)")
    }
    let decisions = model.content.provenance.decisions.filter { $0.text.contains("optional") }
    #expect(decisions.map(\.layer) == ["h_in", "c_in"])
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
