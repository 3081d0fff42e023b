import ArgumentParser
import Foundation
import TestSupport
import Testing

@testable import WeighbridgeCommand

/// `--memory-limit` and `--time-limit`.
@Suite struct LimitTests {
  /// What each command needs to run on the sample.
  private static func commands(_ place: Workplace, _ model: String) -> [[String]] {
    let pictures = Places.sample("Models/shape-detector")
    let picture = "\(pictures)/picture.png"
    return [
      ["convert", Sample.detector, "-o", place.output], ["inspect", model],
      ["metadata", model, "--set", "author=A", "-o", place.output], ["verify", model],
      ["run", model, "--inputs", "random:1", "--outputs", place.output], ["diff", model, model],
      ["detect", model, picture, "-o", place.output],
      ["export", model, "-o", place.output, "--to", "onnx"],
      ["classify", model, picture], ["stylize", model, picture, "-o", place.output],
      ["index", pictures, "--model", model, "-o", place.output],
      ["similar", picture, "--in", pictures, "--model", model, "--features", "conv2d_1"],
      ["search", "--in", pictures, "--model", model, "--like", picture],
      ["cut", model, "--output", "conv2d_1", "-o", place.output],
      ["compact", model, "-o", place.output], ["swift", model, "-o", place.output],
      ["report", model, "-o", place.output],
    ]
  }

  @Test("Every command is tried")
  func commands() throws {
    let names = WeighbridgeCommand.configuration.subcommands.map { command in
      command.configuration.commandName ?? "\(command)".lowercased()
    }
    #expect(Set(Self.commands(try Workplace(), "").map { $0[0] }) == Set(names))
  }

  @Test(
    "Every command ends with status 5 when it takes more than it may",
    arguments: [["--memory-limit", "10K"], ["--time-limit", "0.000001"]])
  func everyCommand(limit: [String]) throws {
    let (place, files) = (try Workplace(), try TemporaryFolder())
    let model = files.file("model.wbm")
    try Sample.convert(to: model)
    for command in Self.commands(place, model) {
      let outcome = try Program.run(command + limit)
      outcome.expect(5, limit[0])
      try place.expectUntouched()
    }
  }

  @Test("A command that takes less is not disturbed")
  func enough() throws {
    let (place, files) = (try Workplace(), try TemporaryFolder())
    let model = files.file("model.wbm")
    try Sample.convert(to: model)
    try Program.run(
      "convert", Sample.detector, "-o", place.output, "--memory-limit", "4G", "--time-limit", "600"
    ).expect(0)
  }

  @Test("A deep architecture, which takes long to compute, ends at the limit of time")
  func slow() throws {
    let folder = try TemporaryFolder()
    try Files.write(ChainArchitecture.json(layers: 5000).utf8, to: folder.file("deep.json"))
    try Program.run(
      "run", Sample.hostile("weights_only"), "--architecture", folder.file("deep.json"),
      "--inputs", "random:1", "--repeat", "\(Int.max)", "--time-limit", "1.5"
    ).expect(5, "1.5 seconds", "--time-limit")
  }

  @Test("Limits that are none are bad usage", arguments: ["0", "-1", "nan", "1e300", "soon"])
  func nonsense(text: String) throws {
    try Program.run("inspect", Sample.detector, "--time-limit", text).expect(2)
  }
}
