import Foundation
import JSON
import TestSupport
import Testing

/// `weighbridge report`
@Suite struct ReportCommandTests {
  private static let quick = ["--no-verify", "--no-profile"]

  @Test("A page is written, with its size in a line or as JSON")
  func page() throws {
    let folder = try TemporaryFolder()
    let (model, page) = (folder.file("model.wbm"), folder.file("page.html"))
    try Sample.convert(to: model)
    let outcome = try Program.run("report", model, "-o", page)
    outcome.expect(0, "page.html: ")
    #expect(outcome.output.isEmpty)
    let text = String(decoding: try Files.read(page), as: UTF8.self)
    #expect(text.hasPrefix("<!DOCTYPE html>") && text.contains("Verified"))
    let json = try Program.run("report", model, "-o", page, "--json").json()
    #expect(json["bytes"] == .integer(try Files.size(page)))
    #expect(
      json["models"]
        == .array([.object(["file": .string(model), "passed": .bool(true)])]))
    #expect(folder.names == ["model.wbm", "page.html"])
  }

  @Test("- writes the page to standard output, with the program's options in its advice")
  func standardOutput() throws {
    let outcome = try Program.run(["report", Sample.detector, "-o", "-"] + Self.quick)
    outcome.expect(0)
    #expect(outcome.output.hasPrefix("<!DOCTYPE html>"))
    for option in [
      "--labels", "--image", "--no-verify", "--no-profile",
      "weighbridge metadata <code>--set</code>",
    ] {
      #expect(outcome.output.contains(option), "\(option)")
    }
    #expect(
      !outcome.output.contains("ReportOptions") && !outcome.output.contains("DescriptionEdit"))
  }

  @Test("Options describe the model and add a picture")
  func options() throws {
    let picture = Paths.sample("Models/shape-detector/picture.png")
    let outcome = try Program.run(
      [
        "report", Sample.detector, "-o", "-", "--image", picture, "--labels", Sample.labels,
        "--detector", "region", "--anchors", Sample.anchors, "--image-input", "input_1",
        "--image-scale", "1/255",
      ] + Self.quick)
    outcome.expect(0)
    #expect(outcome.output.contains("4 detections"))
  }

  @Test("A model that fails its checks is reported, and the command succeeds")
  func failing() throws {
    let folder = try TemporaryFolder()
    let model = folder.file("model.wbm")
    try Sample.convert(to: model)
    var bytes = try Files.read(model)
    bytes[200_000] ^= 0x3F
    try Files.write(bytes, to: model)
    let outcome = try Program.run("report", model, "-o", folder.file("page.html"), "--json")
    outcome.expect(0)
    #expect(
      try outcome.json()["models"]
        == .array([.object(["file": .string(model), "passed": .bool(false)])]))
  }

  @Test("Missing inputs have the status 3 and leave nothing behind")
  func missing() throws {
    let workspace = try Workspace()
    for command in [
      ["report", "missing.wbm"], ["report", Sample.detector, "missing.wbm"],
      ["report", Sample.detector, "--image", "missing.png"],
      ["report", Sample.detector, "--against", "missing.h5"],
      ["report", Paths.sample("Models/shape-detector/train.py")],
    ] {
      try Program.run(command + ["-o", workspace.output]).expect(3)
      try workspace.expectUntouched()
    }
  }

  @Test("A page that cannot be written has the status 4, before anything is computed")
  func unwritable() throws {
    let workspace = try Workspace()
    let command = ["report", Sample.detector] + Self.quick
    let missing = workspace.folder.file("no/page.html")
    try Program.run(command + ["-o", missing]).expect(4, "no/page.html")
    try Program.run(command + ["-o", workspace.folder.path]).expect(4, "is a folder")
    try Program.run(command + ["-o", workspace.output, "--no-clobber"]).expect(4, "File exists")
    try workspace.expectUntouched()
  }

  @Test(
    "Bad usage has the status 2",
    arguments: [
      [], ["a.h5"], ["a.h5", "b.h5", "c.h5", "-o", "x.html"],
      ["a.h5", "-o", "x.html", "--no-verify", "--against", "b.h5"],
      ["a.h5", "-o", "x.html", "--no-verify", "--verify"],
      ["a.h5", "-o", "x.html", "--threshold", "2"],
      ["a.h5", "-o", "x.html", "--reference-inputs", "x.npy"],
    ])
  func usage(arguments: [String]) throws {
    let outcome = try Program.run(["report"] + arguments)
    outcome.expect(2)
    #expect(outcome.output.isEmpty)
  }

  @Test("Labels and references that do not fit have the status 2")
  func mismatch() throws {
    let workspace = try Workspace()
    let command = ["report", Sample.detector, "-o", workspace.output]
    try Program.run(
      command + ["--reference-inputs", Sample.outputs, "--reference-outputs", Sample.outputs]
    ).expect(2)
    try Program.run(
      command + ["--labels", Sample.labels, "--detector", "region", "--anchors", "1,1,2,2"]
    ).expect(2, "shape-detector.h5")
    try workspace.expectUntouched()
  }

  @Test("Ctrl-C leaves nothing behind")
  func interrupt() throws {
    let workspace = try Workspace()
    let files = try TemporaryFolder()
    try Files.write(ChainArchitecture.json(layers: 5000).utf8, to: files.file("deep.json"))
    let messages = Pipe()
    let running = try Program.start(
      [
        "report", Sample.hostile("weights_only"), "--architecture", files.file("deep.json"), "-o",
        workspace.output, "--progress",
      ], messages: messages)
    // The first message shows that the work has begun.
    _ = messages.fileHandleForReading.availableData
    running.interrupt()
    #expect(try running.wait().status == 130)
    try workspace.expectUntouched()
  }
}
