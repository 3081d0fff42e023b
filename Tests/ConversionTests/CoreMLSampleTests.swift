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
}
