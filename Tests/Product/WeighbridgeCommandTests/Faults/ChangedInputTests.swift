import Foundation
import TestSupport
import Testing

/// Inputs that another process changes or truncates after they were opened, when the first byte of
/// the output is about to be written.
@Suite(.enabled(if: FaultLibrary.isAvailable, Comment(rawValue: FaultLibrary.skipReason)))
struct ChangedInputTests {
  /// The message for each kind of change of the input.
  private static let messages = [
    "cut": "a file was cut short while it was read", "change": "was changed while it was read",
  ]

  private func expectRefusal(
    _ arguments: [String], of input: String, _ kind: String, at call: String, _ workspace: Workspace
  ) throws {
    let library = try FaultLibrary.path()
    let message = try #require(Self.messages[kind])
    let outcome = try Program.start(
      arguments,
      environment: [
        "LD_PRELOAD": library, "FAULT_CALL": call, "FAULT_NUMBER": "1", "FAULT_KIND": kind,
        "FAULT_INPUT": input,
      ]
    ).wait()
    outcome.expect(3)
    #expect(
      outcome.messages.contains(message) || outcome.messages.contains("was changed while"),
      "\(outcome.messages)")
    try workspace.expectUntouched()
  }

  @Test("convert refuses an input that changes", arguments: ["cut", "change"])
  func convert(kind: String) throws {
    let (workspace, files) = (try Workspace(), try TemporaryFolder())
    let input = files.file("model.h5")
    try Files.write(try Files.read(Sample.detector), to: input)
    try expectRefusal(
      ["convert", input, "-o", workspace.output], of: input, kind, at: "pwrite", workspace)
  }

  @Test(
    "export refuses an input that changes",
    arguments: ["cut", "change"],
    ["onnx", "keras", "keras-h5", "coreml", "ncnn", "darknet", "safetensors", "npz"])
  func export(kind: String, target: String) throws {
    let (workspace, files) = (try Workspace(), try TemporaryFolder())
    let input = files.file("model.wbm")
    try Sample.convert(to: input)
    try expectRefusal(
      ["export", input, "-o", workspace.output, "--to", target], of: input, kind, at: "pwrite",
      workspace)
  }

  @Test("metadata refuses an input that changes", arguments: ["cut", "change"])
  func metadata(kind: String) throws {
    let (workspace, files) = (try Workspace(), try TemporaryFolder())
    let input = files.file("model.wbm")
    try Sample.convert(to: input)
    try expectRefusal(
      ["metadata", input, "--set", "author=A", "-o", workspace.output], of: input, kind,
      at: "copy_file_range", workspace)
  }
}
