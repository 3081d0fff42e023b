import TestSupport
import Testing

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
      ["run", "a.wbm", "--inputs", "x", "--outputs", "y", "--fast", "--engine", "reference"],
      ["run", "a.wbm", "--inputs", "x", "--profile", "--repeat", "2", "--json"],
      ["metadata", "a.wbm", "--set", "author"],
    ])
  func badUsage(arguments: [String]) throws {
    let outcome = try Program.run(arguments)
    outcome.expect(2)
    #expect(outcome.output.isEmpty && !outcome.messages.isEmpty)
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
    arguments: [[], ["convert"], ["inspect"], ["metadata"], ["verify"], ["run"]])
  func help(command: [String]) throws {
    let outcome = try Program.run(command + ["--help"])
    outcome.expect(0)
    #expect(outcome.messages.isEmpty)
    #expect(outcome.output.contains("Example:\n"))
    #expect(outcome.output.contains("  weighbridge \(command.first ?? "convert") "))
  }
}
