import TestSupport
import Testing

/// The program on Core ML files.
@Suite struct CoreMLTests {
  private func sample(_ name: String) -> String { Places.sample("CoreML/\(name)") }

  @Test("inspect shows a classifier's label and whether an app can train the model")
  func classifier() throws {
    let fruit = try Program.run("inspect", sample("fruit.mlmodel"))
    fruit.expect(0)
    #expect(fruit.output.contains("class label:  label, string, beside the probabilities odds"))
    #expect(fruit.output.contains("updatable:    yes, an app can train it further"))
    let digits = try Program.run("inspect", sample("digits.mlmodel"))
    #expect(digits.output.contains("class label:  label, int64"))
    #expect(!digits.output.contains("updatable"))
  }
}
