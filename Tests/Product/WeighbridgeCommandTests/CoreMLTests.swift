import Foundation
import TestSupport
import Testing

/// The program on Core ML files.
@Suite struct CoreMLTests {
  private func sample(_ name: String) -> String { Paths.sample("CoreML/\(name)") }

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

  @Test(
    "inspect states the size of a package's files", arguments: ["functions", "network", "program"])
  func sizes(_ name: String) throws {
    let path = sample("\(name).mlpackage")
    var count = 0
    for file in try FileManager.default.subpathsOfDirectory(atPath: path) {
      let attributes = try FileManager.default.attributesOfItem(atPath: "\(path)/\(file)")
      guard attributes[.type] as? FileAttributeType == .typeRegular else { continue }
      count += try #require(attributes[.size] as? Int)
    }
    try #require(count > 0)
    let run = try Program.run("inspect", path, "--json")
    run.expect(0)
    #expect(run.output.contains("\"size\": \(count),"), "\(count): \(run.output.prefix(200))")
  }

  @Test("inspect shows a package that cannot be converted, and convert says why")
  func functions() throws {
    let inspection = try Program.run("inspect", sample("functions.mlpackage"))
    inspection.expect(0)
    for text in ["coreml mlProgram", "function by_row", "1 softmax", "cannot be converted: it is"] {
      #expect(inspection.output.contains(text), "\(inspection.output)")
    }
    let workspace = try Workspace()
    try Program.run("convert", sample("functions.mlpackage/"), "-o", workspace.output).expect(
      3, "functions.mlpackage: is an ML Program with the functions")
    try workspace.expectUntouched()
    let output = workspace.folder.file("other.wbm")
    try Program.run("convert", sample("network.mlpackage/"), "-o", output).expect(0)
    try Program.run("verify", output, "--against", sample("network.mlpackage")).expect(0)
    try Program.run("convert", sample("program.mlpackage/"), "-o", output).expect(0)
    try Program.run("verify", output, "--against", sample("program.mlpackage")).expect(0)
  }
}
