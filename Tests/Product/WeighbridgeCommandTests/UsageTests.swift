import ArgumentParser
import TestSupport
import Testing

@testable import WeighbridgeCommand

@Suite struct UsageTests {
  @Test(
    "Bad usage has the status 2, a message, and no output",
    arguments: [
      ["levitate"], ["convert"], ["convert", "a.h5", "b.h5"], ["convert", "a.h5", "--warp"],
      ["convert", "a.h5", "--image-scale", "much"], ["convert", "a.h5", "--image-scale", "1/0"],
      ["convert", "a.h5", "--anchors", "1,,2"], ["convert", "a.h5", "--color", "cmyk"],
      ["convert", "a.h5", "--detector", "crystal-ball"],
      ["convert", "a.h5", "--input-description", "image"],
      ["convert", "a.h5", "--reference-by", "me"],
      ["convert", "a.h5", "--reference-inputs", "x.npz"],
      ["inspect"], ["verify", "a.wbm", "--atol", "-1"], ["verify", "a.wbm", "--rtol", "nan"],
      ["verify", "a.wbm", "--threads", "0"], ["run", "a.wbm"], ["run", "a.wbm", "--inputs", "x"],
      ["run", "a.wbm", "--inputs", "random", "--outputs", "y"],
      ["run", "a.wbm", "--inputs", "random:-1", "--outputs", "y"],
      ["run", "a.wbm", "--inputs", "x", "--outputs", "y", "--engine", "steam"],
      ["run", "a.wbm", "--inputs", "x", "--outputs", "y", "--memory-limit", "-1G"],
      ["run", "a.wbm", "--inputs", "x", "--profile", "--repeat", "2", "--json"],
      ["metadata", "a.wbm", "--set", "author"], ["convert", "a.onnx", "--fixed-input", "sr"],
      ["convert", "a.onnx", "--fixed-input", "sr=fast"],
      ["inspect", "a.onnx", "--fixed-input", "=1"],
      ["convert", "a.onnx", "--fixed-input", "sr=1", "--fixed-input", "sr=2"],
    ])
  func badUsage(arguments: [String]) throws {
    let outcome = try Program.run(arguments)
    outcome.expect(2)
    #expect(outcome.output.isEmpty && !outcome.messages.isEmpty)
  }

  @Test(
    "An option that is given twice, or under two of its names, is bad usage",
    arguments: [
      (["convert", "a.h5", "--weights", "a", "--weights", "b"], "--weights is given twice"),
      (["run", "a.wbm", "--threads=1", "--threads=2"], "--threads is given twice"),
      (["convert", "a.cfg", "--strict", "--strict"], "--strict is given twice"),
      (["detect", "a", "b", "-o", "x.png", "--output", "y.png"], "--output is given twice"),
      (
        ["detect", "a", "b", "--threshold", "0.1", "--confidence-threshold", "0.2"],
        "--threshold and --confidence-threshold are one option, which is given twice"
      ),
      (
        ["inspect", "a.onnx", "--set", "a=1", "--fixed-input", "b=2"],
        "--set and --fixed-input are one option, which is given twice"
      ),
      (
        ["export", "a.wbm", "-o", "b.onnx", "--with-nms", "--without-nms"],
        "--with-nms and --without-nms exclude each other"
      ),
    ])
  func twice(arguments: [String], message: String) throws {
    try Program.run(arguments).expect(2, message)
  }

  @Test("The former name of an option is accepted, and several of its values")
  func formerName() throws {
    let model = Paths.sample("ONNX/Exported/rates.onnx")
    for name in ["--set", "--fixed-input"] {
      try Program.run("inspect", model, name, "sr=16000").expect(0)
      try Program.run("inspect", model, name, "sr=16000", name, "rate=1")
        .expect(2, "its inputs are x, sr")
    }
    try Program.run("detect", "a.wbm", "b.png", "--iou-threshold", "2").expect(2, "--nms takes")
  }

  /// The names of all commands.
  private static let commands = WeighbridgeCommand.configuration.subcommands.map { command in
    command.configuration.commandName ?? "\(command)".lowercased()
  }

  @Test("Fixing an input that cannot be fixed has the status 2, with advice")
  func fixedInput() throws {
    let folder = try TemporaryFolder()
    let (model, output) = (Paths.sample("ONNX/Exported/rates.onnx"), folder.file("m.wbm"))
    let convert = ["convert", model, "-o", output]
    try Program.run(convert + ["--fixed-input", "rate=1"]).expect(2, "its inputs are x, sr")
    try Program.run(convert + ["--fixed-input", "sr=0.5"]).expect(
      2, "takes int64, which 0.5 is not")
    try Program.run(convert + ["--fixed-input", "x=1"]).expect(
      2, "float32 [batch, 1, samples], and was to be fixed at 1")
    #expect(folder.names.isEmpty)
    try Program.run(convert + ["--fixed-input", "sr=16000"]).expect(
      0, "the input sr is fixed at 16000")
    try Program.run("verify", output, "--against", model, "--fixed-input", "sr=16000").expect(0)
    try Program.run("export", output, "-o", folder.file("m.onnx"), "--fixed-input", "sr=16000")
      .expect(2, "is a .wbm file: --fixed-input does not apply")
  }

  @Test("--version prints the program's name and version")
  func version() throws {
    let outcome = try Program.run("--version")
    outcome.expect(0)
    #expect(outcome.output.hasPrefix("weighbridge "))
    #expect(outcome.messages.isEmpty)
  }

  @Test(
    "Every command's help has an example and goes to standard output",
    arguments: [[String]()] + commands.map { [$0] })
  func help(command: [String]) throws {
    let outcome = try Program.run(command + ["--help"])
    outcome.expect(0)
    #expect(outcome.messages.isEmpty)
    #expect(outcome.output.contains("Example:\n") || outcome.output.contains("Examples:\n"))
    #expect(outcome.output.contains("  weighbridge \(command.first ?? "convert") "))
  }
}
