import Foundation
import TestSupport
import Testing
import Weighbridge

/// Ctrl-C in the middle, and readers that go away.
@Suite(.serialized) struct InterruptTests {
  /// Writes a deep architecture, inputs on which it works for many seconds, and zeros as outputs.
  private func writeSlowModel(_ folder: TemporaryFolder) throws {
    let rows = 100_000
    let input = Tensor(.float32, shape: [rows, 4], [Double](repeating: 1, count: rows * 4))
    let output = Tensor(.float32, shape: [rows, 2], [Double](repeating: 0, count: rows * 2))
    try Files.write(ChainArchitecture.json(layers: 5000).utf8, to: folder.file("deep.json"))
    try ArrayFile.write([.init(name: "", tensor: input)], to: folder.file("x.npy"))
    try ArrayFile.write([.init(name: "", tensor: output)], to: folder.file("y.npy"))
  }

  /// Starts a command, interrupts it when it works, and expects status 130 soon.
  private func expectInterruption(
    _ arguments: [String], sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let running = try Program.start(arguments)
    usleep(500_000)
    try #require(running.isRunning, "it ended before it was interrupted")
    let start = ContinuousClock.now
    running.interrupt()
    let outcome = try running.wait()
    outcome.expect(130, sourceLocation: sourceLocation)
    #expect(ContinuousClock.now - start < .seconds(5), sourceLocation: sourceLocation)
  }

  @Test("Ctrl-C ends run, verify and convert --verify with status 130, and nothing is written")
  func interrupted() throws {
    let (place, files) = (try Workplace(), try TemporaryFolder())
    try writeSlowModel(files)
    let model = [Sample.hostile("weights_only"), "--architecture", files.file("deep.json")]
    let (x, y) = (files.file("x.npy"), files.file("y.npy"))
    let references = ["--reference-inputs", x, "--reference-outputs", y]
    try expectInterruption(
      ["run"] + model + ["--inputs", x, "--outputs", place.output, "--engine", "reference"])
    try expectInterruption(["verify"] + model + references)
    try expectInterruption(["convert"] + model + ["-o", place.output, "--verify"] + references)
    try place.expectUntouched()
  }

  @Test("Ctrl-C is not forgotten when it comes during the last layer")
  func lastLayer() throws {
    let (place, files) = (try Workplace(), try TemporaryFolder())
    let side = 2500
    let zeros = [Double](repeating: 0, count: side * side * 3)
    let picture = NamedTensor(
      name: "", tensor: Tensor(.float32, shape: [1, side, side, 3], zeros))
    try ArrayFile.write([picture], to: files.file("x.npy"))
    let model = Places.sample("Layers/convolution/conv2d_unknown_size.h5")
    try expectInterruption([
      "run", model, "--inputs", files.file("x.npy"), "--outputs", place.output, "--threads", "1",
      "--engine", "reference",
    ])
    try place.expectUntouched()
  }

  @Test("Ctrl-C ends repeated runs")
  func repeatedRuns() throws {
    try expectInterruption([
      "run", Sample.detector, "--inputs", Sample.input, "--repeat", "1000000",
    ])
  }

  @Test("A reader that goes away ends the program quietly", arguments: ["--layers", "--json"])
  func closedPipe(option: String) throws {
    let outcome = try Program.shell(
      #"{ sleep 0.2; "$PROGRAM" inspect "$1" $2; echo "status $?" >&2; } | true"#,
      Sample.detector, option)
    #expect(outcome.messages == "status 0\n")
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
