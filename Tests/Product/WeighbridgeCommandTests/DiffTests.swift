import JSON
import TestSupport
import Testing
import Weighbridge

/// `weighbridge diff`
@Suite struct DiffTests {
  @Test("A conversion is the same as its source, whatever its names and metadata")
  func same() throws {
    let folder = try TemporaryFolder()
    try Sample.convert(to: folder.file("model.wbm"))
    let outcome = try Program.run("diff", folder.file("model.wbm"), Sample.detector, "--json")
    outcome.expect(0)
    let report = try outcome.json()
    #expect(report["same"] == .bool(true))
    #expect(report["operators"]?.integer == 23)
  }

  @Test("Another model differs with status 1, and each line says what")
  func different() throws {
    let other = Paths.sample("Models/sketch-classifier/sketch-classifier.h5")
    let outcome = try Program.run("diff", Sample.detector, other)
    outcome.expect(1)
    #expect(outcome.output.contains("differs  structure"))
    #expect(outcome.output.contains("differs  port"))
    #expect(outcome.output.hasPrefix("  differs"))
    let quiet = try Program.run("diff", Sample.detector, other, "--quiet")
    quiet.expect(1)
    #expect(quiet.output.isEmpty)
  }

  @Test("What cannot be compared is an error")
  func errors() throws {
    try Program.run("diff", Sample.detector).expect(2)
    try Program.run("diff", Sample.detector, "/nowhere/x").expect(3, "/nowhere/x: cannot open")
    let other = Paths.sample("Models/sketch-classifier/sketch-classifier.h5")
    let input = Paths.sample("Models/shape-detector/input.npy")
    try Program.run("diff", Sample.detector, other, "--inputs", input).expect(2)
  }
}
