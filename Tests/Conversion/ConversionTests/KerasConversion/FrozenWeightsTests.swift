import TestSupport
import Testing
import Weighbridge

/// Weights alone of models of which parts are frozen, in `Samples/WeightsAlone`.
@Suite struct FrozenWeightsTests {
  private func sample(_ name: String) -> String { Paths.sample("WeightsAlone/\(name)") }

  @Test(
    "Weights go to their layers, whichever are frozen in the architecture",
    arguments: [
      ("2.15.0/steps", ".weights.h5", false), ("3.15.1/steps", ".weights.h5", false),
      ("2.15.0/unfrozen", "_weights.h5", true), ("2.15.0/refrozen", "_weights.h5", true),
    ])
  func golden(_ name: String, _ ending: String, _ isDecided: Bool) throws {
    let model = try Model(contentsOf: sample(name + ending))
    let outputs = try model.run(ArrayFile.read(sample("\(name).inputs.npz"))).outputs
    let expected = try ArrayFile.read(sample("\(name).outputs.npz"))
    for distance in distances(actual: outputs, expected: expected) {
      #expect(distance.isWithin(absolute: 1e-5, relative: 1e-5), "\(distance)")
    }
    let decided = model.provenance.decisions.filter {
      $0.text.hasPrefix("The names of its weights say which layers they belong to")
    }
    #expect(decided.map(\.layer) == (isDecided ? ["features"] : []))
  }
}
