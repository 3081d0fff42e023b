import Foundation
import TestSupport
import Testing

/// Inputs that cannot be converted: the status, the message, and nothing written.
@Suite struct BadInputTests {
  /// Expects `convert` of an input to fail and to change nothing.
  private func expectFailure(
    _ status: Int32, _ input: String, _ parts: [String], also arguments: [String] = [],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let workspace = try Workspace()
    let outcome = try Program.run(["convert", input, "-o", workspace.output] + arguments)
    outcome.expect(status, "weighbridge: error: ", sourceLocation: sourceLocation)
    for part in parts {
      #expect(
        outcome.messages.contains(part), "\(outcome.messages)", sourceLocation: sourceLocation)
    }
    #expect(outcome.output.isEmpty, sourceLocation: sourceLocation)
    try workspace.expectUntouched(sourceLocation: sourceLocation)
  }

  @Test("A file that is not there is named")
  func missing() throws {
    try expectFailure(
      3, "/nowhere/model.h5", ["/nowhere/model.h5: cannot open: No such file or directory"])
  }

  @Test("A folder is not a model")
  func folder() throws {
    let folder = Paths.sample("Models")
    let reason = "is a folder, not a file; the folders that are read are Core ML packages"
    try expectFailure(3, folder, ["\(folder): \(reason)"])
  }

  @Test("A device is not a model", arguments: ["/dev/null", "/dev/zero"])
  func device(path: String) throws {
    try expectFailure(3, path, ["\(path): is not a file"])
  }

  @Test("A pipe is not a model")
  func pipe() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("model.h5")
    try #require(mkfifo(path, 0o600) == 0)
    try expectFailure(3, path, ["\(path): is not a file"])
  }

  @Test(
    "A bad file is refused with its name and the reason",
    arguments: [
      ("empty", "is empty"),
      ("text", "is a text file, not a model"),
      ("truncated", "is cut off: it has 15063 bytes"),
      ("not_keras", "is an HDF5 file, but not one that Keras wrote"),
      ("weights_only", "--architecture"),
      ("weight_shape", "layer #1 a (Dense): the weight kernel has the shape [3, 4]"),
      ("weight_missing", "layer #2 b (Dense): the weight bias [2] is missing"),
      ("weight_surplus", "layer #2 b (Dense): has a surplus weight of shape [2]"),
      ("weight_unlisted", "/model_weights/b/b/forgotten"),
    ])
  func badFile(name: String, reason: String) throws {
    try expectFailure(3, Sample.hostile(name), [Sample.hostile(name), reason])
  }

  @Test("A file from a preview version is refused, with advice")
  func preview() throws {
    try expectFailure(
      3, Paths.sample("Hostile/wbm/preview.wbm"),
      ["was written by a preview of Weighbridge; convert the source again"])
  }

  @Test("convert and inspect end with status 3 for files that are not models")
  func foreign() throws {
    let folder = Paths.sample("Hostile/foreign")
    let names = Files.names(in: folder).filter { $0 != "make.py" }
    #expect(names.count > 5)
    for name in names {
      let path = "\(folder)/\(name)"
      try expectFailure(3, path, [path])
      // What a TorchScript archive consists of can be listed.
      try Program.run("inspect", path).expect(name == "torchscript.pt" ? 0 : 3, path)
    }
  }

  @Test("The error about a missing input shape says what to type, and that works")
  func inputShape() throws {
    let model = Paths.sample("Shapeless/2.2.4-tf/dense.h5")
    try expectFailure(
      3, model, ["its last dimension is 3, not how many", "--input-shape dense_input=3 says none"])
    let workspace = try Workspace()
    for shape in ["dense_input=3", "None,3"] {
      try Program.run("convert", model, "-o", workspace.output, "--input-shape", shape).expect(0)
    }
    for (shape, part) in [
      ("4", "say that its last dimension is 3"), ("=-3", "dimensions from 1 on are expected"),
      ("x=3", "has no input x"),
    ] {
      let option = shape.hasPrefix("=") ? ["--input-shape\(shape)"] : ["--input-shape", shape]
      try expectFailure(2, model, [part], also: option)
    }
  }

  @Test("An input shape is refused where it does not apply, and when it is malformed")
  func inputShapeElsewhere() throws {
    let workspace = try Workspace()
    let (model, array) = (Paths.sample("Shapeless/2.2.4-tf/dense.h5"), ["--input-shape", "3"])
    try Program.run(["convert", model, "-o", workspace.output] + array).expect(0)
    let other = workspace.folder.file("dense.mlmodel")
    let tensors = workspace.folder.file("dense.safetensors")
    for path in [other, tensors] {
      try Program.run(["export", model, "-o", path] + array).expect(0)
    }
    for arguments in [
      ["convert", workspace.output, "-o", other], ["convert", other, "-o", workspace.output],
      ["export", workspace.output, "-o", other], ["inspect", other],
      ["convert", tensors, "--architecture", workspace.output, "-o", workspace.output],
    ] {
      try Program.run(arguments + array).expect(
        2, ": --input-shape does not apply")
    }
    try Program.run(["diff", workspace.output, other] + array).expect(
      2, "the models are a .wbm file and a Core ML model: --input-shape does not apply")
    try Program.run(["diff", model, other] + array).expect(0)
    try Program.run(["inspect", tensors] + array).expect(3, "holds weights only")
    for text in ["", "3,", "3.0", "(3,)"] {
      let outcome = try Program.run("inspect", model, "--input-shape=\(text)")
      outcome.expect(2, "--input-shape")
    }
  }

  @Test("All unknown layers are listed, with their names and classes")
  func unknownLayers() throws {
    try expectFailure(
      3, Sample.hostile("unknown_layers"),
      ["#1 first (Hologram)", "#3 second (TimeMachine)", "#4 third (Lambda)"])
  }

  @Test("Exceeding a limit has its own exit status")
  func limit() throws {
    try expectFailure(5, Sample.hostile("deep_json"), ["JSON nests deeper than 500 levels"])
  }

  @Test("No hostile file ends the program by a signal or leaves anything behind")
  func hostile() throws {
    let harmless = [
      "group_cycle.h5", "input_unread.h5", "nan_weights.h5", "plain.h5", "weight_double.h5",
    ]
    let names = Files.names(in: Paths.sample("Hostile/keras")).filter {
      $0.hasSuffix(".h5") && !harmless.contains($0)
    }
    #expect(names.count > 80)
    for name in names {
      let workspace = try Workspace()
      let path = Paths.sample("Hostile/keras/\(name)")
      let outcome = try Program.run("convert", path, "-o", workspace.output)
      #expect([3, 5].contains(outcome.status) && !outcome.wasKilled, "\(name)")
      #expect(outcome.messages.hasPrefix("weighbridge: error: \(path)"), "\(outcome.messages)")
      try workspace.expectUntouched()
    }
  }

  @Test("An error ends the program cleanly while a digest is still being computed")
  func earlyEnd() throws {
    // There was a race in which one exit in a hundred was a crash.
    let outcome = try Program.shell(
      #"for i in $(seq 200); do "$PROGRAM" convert "$1" -o /nowhere/x; echo $? >&2; done"#,
      Sample.hostile("truncated_signature"))
    let statuses = outcome.messages.split(separator: "\n").filter { Int($0) != nil }
    #expect(statuses.count == 200 && Set(statuses) == ["3"], "\(outcome.messages)")
  }

  @Test("NaN among the weights is a warning with the count, and verify fails")
  func nanWeights() throws {
    let workspace = try Workspace()
    let conversion = try Program.run(
      "convert", Sample.hostile("nan_weights"), "-o", workspace.output)
    conversion.expect(0, "warning: 3 elements of a/kernel are NaN or infinite")
    #expect(workspace.folder.names == ["out.wbm"])
    let verification = try Program.run("verify", workspace.output)
    verification.expect(1)
    #expect(verification.output.contains("3 of 12 elements are NaN or infinite"))
  }

  @Test("Labels that do not fit are refused with the arithmetic")
  func labels() throws {
    let files = try TemporaryFolder()
    try Files.write("ellipse\nrectangle\n".utf8, to: files.file("two.names"))
    try expectFailure(
      2, Sample.detector, ["11 x 11 x 24 channels", "3 anchors x (5 + 2 labels) make 21"],
      also: [
        "--detector", "region", "--anchors", Sample.anchors, "--labels", files.file("two.names"),
      ])
  }

  @Test(
    "A description that does not fit is bad usage",
    arguments: [
      (["--detector", "region", "--anchors", "1,2,3,4,5,6,7,8,9,10"], "do not give"),
      (["--detector", "region", "--anchors", "1,2,3"], "pairs"),
      (["--input-name", "photo=image"], "no input photo; it has input_1"),
      (["--image-input", "photo"], "no input photo"),
      (["--image-input", "input_1", "--image-bias", "1,2"], "2 image biases"),
      (["--output-description", "grid=cells"], "no output grid; it has conv2d_7"),
      (["--reference-inputs", Sample.outputs, "--reference-outputs", Sample.outputs], "input_1"),
    ])
  func description(arguments: [String], reason: String) throws {
    try expectFailure(2, Sample.detector, [reason], also: arguments)
  }

  @Test("Files that go with the model are named when they are missing")
  func missingCompanions() throws {
    for option in ["--labels", "--metadata", "--architecture"] {
      try expectFailure(3, Sample.detector, ["/nowhere/x: "], also: [option, "/nowhere/x"])
    }
    try expectFailure(
      3, Sample.detector, ["/nowhere/x: "],
      also: ["--reference-inputs", "/nowhere/x", "--reference-outputs", Sample.outputs])
  }
}
