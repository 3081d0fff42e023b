import JSON
import TestSupport
import Testing
import Weighbridge

/// The tolerance that an author sets for the reference outputs.
@Suite struct ToleranceTests {
  private let references = [
    "--reference-inputs", Sample.input, "--reference-outputs", Sample.outputs,
  ]

  private func stored(in path: String) throws -> JSONObject {
    let json = try Program.run("inspect", path, "--json").json()
    let set = try #require(json["references"]?.array?.first?.object)
    return try #require(set["tolerance"]?.object)
  }

  @Test(
    "convert stores it, inspect shows it, and verify applies it as it is",
    arguments: [
      ("1e-3", 0.001, 0, 0, "tolerance 1.00e-03 + 0 x max|expected|"),
      ("1e-9,0", 1e-9, 0, 1, "tolerance 1.00e-09 + 0 x max|expected|"),
      ("0,0.5", 0, 0.5, 0, "tolerance 0 + 5.00e-01 x max|expected|"),
    ] as [(String, Double, Double, Int32, String)])
  func converting(
    option: String, absolute: Double, relative: Double, status: Int32, summary: String
  ) throws {
    let folder = try TemporaryFolder()
    let path = folder.file("model.wbm")
    try Program.run(
      ["convert", Sample.detector, "-o", path, "--tolerance", option] + references
    ).expect(0)
    let tolerance = try stored(in: path)
    #expect(tolerance["absolute"]?.real == absolute && tolerance["relative"]?.real == relative)
    #expect(tolerance["source"] == "author")
    let text = try Program.run("inspect", path).output
    #expect(text.contains("\n  \(summary), decided by the author"), "\(text)")
    #expect(try Program.run("verify", path).status == status)
  }

  @Test("Without the option it is the standard one of the number types")
  func standard() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("model.wbm")
    try Sample.convert(to: path)
    let tolerance = try stored(in: path)
    #expect(tolerance["absolute"]?.real == 1e-5 && tolerance["relative"]?.real == 1e-5)
    #expect(tolerance["source"] == "standard")
    #expect(
      try Program.run("inspect", path).output.contains(
        "tolerance 1.00e-05 + 1.00e-05 x max|expected|, the standard one"))
  }

  @Test("metadata changes it and leaves the description and the tensors alone")
  func editing() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("model.wbm")
    try Sample.convert(to: path)
    let before = try Program.run("metadata", path, "--json").output
    try Program.run("metadata", path, "--tolerance", "0.25,0.125").expect(0)
    let tolerance = try stored(in: path)
    #expect(tolerance["absolute"]?.real == 0.25 && tolerance["relative"]?.real == 0.125)
    #expect(tolerance["source"] == "author")
    #expect(try Program.run("metadata", path, "--json").output == before)
    try Program.run("verify", path, "--against", Sample.detector).expect(0)
  }

  @Test("A tolerance without references, and an invalid one, are refused")
  func refused() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("model.wbm")
    try Program.run("convert", Sample.detector, "-o", path, "--tolerance", "1")
      .expect(2, "--tolerance needs --reference-inputs and --reference-outputs")
    try Program.run("convert", Sample.detector, "-o", path).expect(0)
    let before = try Files.read(path)
    try Program.run("metadata", path, "--tolerance", "1").expect(
      2, "\(path): has no reference outputs to which a tolerance applies")
    for option in ["-1", "nan", "inf", "1,2,3", "1,", ",1", "x"] {
      try Program.run("metadata", path, "--tolerance=\(option)").expect(2, "--tolerance")
    }
    #expect(try Files.read(path) == before)
  }
}
