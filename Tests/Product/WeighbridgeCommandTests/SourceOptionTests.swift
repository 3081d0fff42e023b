import TestSupport
import Testing

/// Options for a source that its format does not support.
@Suite struct SourceOptionTests {
  private static let values: [String: [String]] = [
    "--architecture": ["a.json"], "--keras-version": ["2.1.5"], "--keras-backend": ["theano"],
    "--input-shape": ["3"], "--from-token-ids": [], "--custom-layers": ["a.json"],
    "--keep-unknown": [], "--weights": ["a.weights"], "--darknet": ["pjreddie"],
    "--data": ["a.data"], "--random-weights": ["1"], "--fixed-input": ["a=1"], "--strict": [],
  ]

  private static let files: [(path: String, taken: Set<String>)] = [
    (
      Sample.detector,
      [
        "--architecture", "--keras-version", "--keras-backend", "--input-shape",
        "--from-token-ids", "--custom-layers", "--keep-unknown", "--strict",
      ]
    ),
    (Paths.sample("ONNX/vgg.onnx"), ["--fixed-input", "--input-shape"]),
    (
      Paths.sample("Hostile/darknet/weights_tiny.cfg"),
      ["--weights", "--darknet", "--data", "--random-weights", "--strict"]
    ),
    (Paths.sample("Hostile/coreml/custom_layer.mlmodel"), ["--custom-layers", "--keep-unknown"]),
  ]

  @Test("Every option that a format does not take is bad usage", arguments: files.indices)
  func surplus(index: Int) throws {
    let (path, taken) = Self.files[index]
    for (option, value) in Self.values.sorted(by: { $0.key < $1.key })
    where !taken.contains(option) {
      try Program.run(["inspect", path, option] + value).expect(2, "\(option) does not apply")
    }
  }

  @Test("Several of them are named together")
  func together() throws {
    try Program.run(
      "inspect", Sample.detector, "--weights", "w", "--darknet", "pjreddie", "--fixed-input", "a=1"
    ).expect(2, "is a Keras file: --weights, --darknet and --fixed-input do not apply")
  }

  @Test("An export accepts the fork only for a darknet source or target")
  func fork() throws {
    let workspace = try Workspace()
    let path = workspace.output + ".onnx"
    try Program.run("export", Sample.detector, "-o", path, "--darknet", "pjreddie")
      .expect(2, "is a Keras file: --darknet does not apply")
  }

  @Test("A .wbm accepts none of them")
  func stored() throws {
    let workspace = try Workspace()
    try Sample.convert(to: workspace.output)
    for (option, value) in Self.values.sorted(by: { $0.key < $1.key }) {
      try Program.run(["inspect", workspace.output, option] + value).expect(
        2, "is a .wbm file: \(option) does not apply")
    }
  }
}
