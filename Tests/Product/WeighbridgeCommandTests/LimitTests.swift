import ArgumentParser
import Foundation
import TestSupport
import Testing

@testable import WeighbridgeCommand

/// `--memory-limit` and `--time-limit`.
@Suite struct LimitTests {
  /// Arguments with which each command runs on the sample.
  private static func commands(_ workspace: Workspace, _ model: String) -> [[String]] {
    let images = Paths.sample("Models/shape-detector")
    let image = "\(images)/picture.png"
    return [
      ["convert", Sample.detector, "-o", workspace.output], ["inspect", model],
      ["metadata", model, "--set", "author=A", "-o", workspace.output], ["verify", model],
      ["run", model, "--inputs", "random:1", "--outputs", workspace.output],
      ["diff", model, model],
      ["detect", model, image, "-o", workspace.output],
      ["export", model, "-o", workspace.output, "--to", "onnx"],
      ["classify", model, image], ["stylize", model, image, "-o", workspace.output],
      ["index", images, "--model", model, "-o", workspace.output],
      ["similar", image, "--in", images, "--model", model, "--features", "conv2d_1"],
      ["search", "--in", images, "--model", model, "--like", image],
      ["cut", model, "--output", "conv2d_1", "-o", workspace.output],
      ["compact", model, "-o", workspace.output], ["swift", model, "-o", workspace.output],
      ["report", model, "-o", workspace.output],
    ]
  }

  @Test("Every command is tried")
  func commands() throws {
    let names = WeighbridgeCommand.configuration.subcommands.map { command in
      command.configuration.commandName ?? "\(command)".lowercased()
    }
    #expect(Set(Self.commands(try Workspace(), "").map { $0[0] }) == Set(names))
  }

  @Test(
    "Every command ends with status 5 when it takes more than it may",
    arguments: [["--memory-limit", "10K"], ["--time-limit", "0.000001"]])
  func everyCommand(limit: [String]) throws {
    let (workspace, files) = (try Workspace(), try TemporaryFolder())
    let model = files.file("model.wbm")
    try Sample.convert(to: model)
    let commands = Self.commands(workspace, model)
    #expect(commands.count > 10)
    for command in commands {
      let outcome = try Program.run(command + limit)
      outcome.expect(5, limit[0])
      try workspace.expectUntouched()
    }
  }

  @Test("A command within its limits is not affected")
  func enough() throws {
    let (workspace, files) = (try Workspace(), try TemporaryFolder())
    let model = files.file("model.wbm")
    try Sample.convert(to: model)
    try Program.run(
      "convert", Sample.detector, "-o", workspace.output, "--memory-limit", "4G", "--time-limit",
      "600"
    ).expect(0)
  }

  @Test("A long computation ends at the time limit")
  func slow() throws {
    let folder = try TemporaryFolder()
    try Files.write(ChainArchitecture.json(layers: 5000).utf8, to: folder.file("deep.json"))
    try Program.run(
      "run", Sample.hostile("weights_only"), "--architecture", folder.file("deep.json"),
      "--inputs", "random:1", "--repeat", "\(Int.max)", "--time-limit", "1.5"
    ).expect(5, "1.5 seconds", "--time-limit")
  }

  @Test("Invalid limits are bad usage", arguments: ["0", "-1", "nan", "1e300", "soon"])
  func nonsense(text: String) throws {
    try Program.run("inspect", Sample.detector, "--time-limit", text).expect(2)
  }
}
