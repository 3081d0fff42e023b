import TestSupport
import Testing
import Weighbridge

/// The files of `Samples/CoreML`, which coremltools made.
@Suite struct CoreMLSampleTests {
  private func sample(_ name: String) -> String { Places.sample("CoreML/\(name)") }

  @Test(
    "A size of -1 in a target shape is what the other sizes leave",
    arguments: ["reshaped_pictures", "reshaped_arrays"])
  func inferredSize(_ name: String) throws {
    let model = try Model(contentsOf: sample("\(name).mlmodel"))
    let outputs = try model.run(ArrayFile.read(sample("\(name).inputs.npz"))).outputs
    let wanted = try ArrayFile.read(sample("\(name).outputs.npz"))
    for distance in distances(got: outputs, want: wanted) {
      #expect(distance.absolute == 0, "\(distance)")
    }
  }

  @Test("The class label of a classifier is seen, and whether an app can train the model")
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
    #expect(try Inspection(of: Places.sample("ONNX/vgg.onnx")).isUpdatable == nil)
  }
}
