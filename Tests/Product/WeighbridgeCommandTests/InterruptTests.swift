import Foundation
import TestSupport
import Testing
import Weighbridge

/// Ctrl-C during a run, and readers that close their pipe.
@Suite(.serialized) struct InterruptTests {
  /// Writes a deep architecture, an input for it, and zeros as outputs.
  private func writeDeepModel(_ folder: TemporaryFolder) throws {
    let input = Tensor(.float32, shape: [1, 4], [1, 1, 1, 1])
    let output = Tensor(.float32, shape: [1, 2], [0, 0])
    try Files.write(ChainArchitecture.json(layers: 5000).utf8, to: folder.file("deep.json"))
    try ArrayFile.write([.init(name: "", tensor: input)], to: folder.file("x.npy"))
    try ArrayFile.write([.init(name: "", tensor: output)], to: folder.file("y.npy"))
  }

  /// Starts a command that names each layer as it computes it, waits for `count` runs, and
  /// interrupts it.
  ///
  /// The command prints more than a pipe holds, and nobody reads on: however fast the machine is,
  /// it cannot end by itself before it is interrupted.
  private func expectInterruption(
    _ arguments: [String], after count: Int = 1, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let pipe = Pipe()
    let running = try Program.start(arguments + ["--progress"], messages: pipe)
    var messages = ""
    while messages.components(separatedBy: "computes layer 1 of").count <= count {
      let data = pipe.fileHandleForReading.availableData
      try #require(!data.isEmpty, "it ended: \(messages)", sourceLocation: sourceLocation)
      messages += String(decoding: data, as: UTF8.self)
    }
    running.interrupt()
    try running.wait().expect(130, sourceLocation: sourceLocation)
  }

  @Test("Ctrl-C ends run, verify and convert --verify with status 130, and nothing is written")
  func interrupted() throws {
    let (workspace, files) = (try Workspace(), try TemporaryFolder())
    try writeDeepModel(files)
    let model = [Sample.hostile("weights_only"), "--architecture", files.file("deep.json")]
    let (x, y) = (files.file("x.npy"), files.file("y.npy"))
    let references = ["--reference-inputs", x, "--reference-outputs", y]
    try expectInterruption(
      ["run"] + model + ["--inputs", x, "--outputs", workspace.output, "--engine", "reference"])
    try expectInterruption(["verify"] + model + references)
    try expectInterruption(["convert"] + model + ["-o", workspace.output, "--verify"] + references)
    try workspace.expectUntouched()
  }

  @Test("Ctrl-C ends repeated runs")
  func repeatedRuns() throws {
    let run = ["run", Sample.detector, "--inputs", Sample.input, "--repeat", "\(Int.max)"]
    try expectInterruption(run, after: 3)
  }

  @Test("A closed pipe ends the program quietly", arguments: ["--layers", "--json"])
  func closedPipe(option: String) throws {
    let pipe = Pipe()
    try pipe.fileHandleForReading.close()
    let outcome = try Program.start(["inspect", Sample.detector, option], output: pipe).wait()
    outcome.expect(0)
    #expect(outcome.messages.isEmpty)
    let head = try Program.shell(#""$PROGRAM" inspect "$1" $2 | head -1"#, Sample.detector, option)
    #expect(head.status == 0 && head.messages.isEmpty && !head.output.isEmpty)
  }

  @Test("A result that cannot be printed is a failed output")
  func fullDevice() throws {
    try Program.shell(#""$PROGRAM" inspect "$1" > /dev/full"#, Sample.detector).expect(4)
  }

  @Test("A message that nobody can read does not change the status")
  func closedMessages() throws {
    try Program.shell(#""$PROGRAM" inspect /nowhere/x 2>&-"#).expect(3)
    try Program.shell(#""$PROGRAM" inspect /nowhere/x 2>/dev/full"#).expect(3)
  }
}
