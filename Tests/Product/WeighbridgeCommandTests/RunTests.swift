import JSON
import TestSupport
import Testing
import Weighbridge

@Suite struct RunTests {
  @Test("run writes what Keras computed, for all layers on request")
  func layers() throws {
    let folder = try TemporaryFolder()
    try Program.run(
      "run", Sample.detector, "--inputs", Sample.input, "--outputs", folder.file("y.npz"),
      "--layers"
    ).expect(0)
    let actual = try ArrayFile.read(folder.file("y.npz"))
    let expected = try ArrayFile.read(Sample.layers)
    #expect(Set(actual.map(\.name)) == Set(expected.map(\.name)))
    for array in expected {
      let distance = Distance(actual: try #require(actual[array.name]), expected: array.tensor)
      #expect(distance.isWithin(absolute: 1e-5, relative: 1e-5), "\(array.name)")
    }
    #expect(folder.names == ["y.npz"])
  }

  @Test("One output can be a .npy file")
  func npy() throws {
    let folder = try TemporaryFolder()
    try Program.run(
      "run", Sample.detector, "--inputs", Sample.input, "--outputs", folder.file("y.npy")
    ).expect(0)
    let expected = try ArrayFile.read(Sample.outputs)
    let distance = distances(actual: try ArrayFile.read(folder.file("y.npy")), expected: expected)
    #expect(distance.allSatisfy { $0.error <= 1e-5 })
  }

  @Test("A model without inputs runs without --inputs")
  func inputless() throws {
    let folder = try TemporaryFolder()
    try Program.run(
      "run", Paths.sample("ONNX/inputless.onnx"), "--outputs", folder.file("y.npz")
    ).expect(0)
    let expected = try ArrayFile.read(Paths.sample("ONNX/inputless.outputs.npz"))
    let distance = distances(actual: try ArrayFile.read(folder.file("y.npz")), expected: expected)
    #expect(!distance.isEmpty && distance.allSatisfy { $0.error <= 1e-5 })
  }

  @Test("run --repeat --json prints the times and threads")
  func timing() throws {
    let outcome = try Program.run(
      "run", Sample.detector, "--inputs", Sample.input, "--repeat", "3", "--threads", "2", "--json")
    outcome.expect(0)
    let json = try outcome.json()
    let times = try ["min_ms", "median_ms", "max_ms"].map { try #require(json[$0]?.real) }
    #expect(times == times.sorted() && times[0] > 0)
    #expect(json["threads"] == 2)
  }

  @Test("--progress names each layer that is computed, and what computes it")
  func progress() throws {
    let run = ["run", Sample.detector, "--inputs", Sample.input, "--profile"]
    let outcome = try Program.run(run + ["--progress"])
    outcome.expect(
      0, "weighbridge: cpu computes layer 1 of 23, conv2d_1\n", " 23 of 23, conv2d_7\n")
    #expect(!outcome.output.contains("computes layer"))
    #expect(try Program.run(run).messages.isEmpty)
    try Program.run("verify", Sample.detector, "--progress")
      .expect(0, "cpu computes layer 23 of 23", "reference computes layer 23 of 23, conv2d_7\n")
    let folder = try TemporaryFolder()
    try Program.run(
      "convert", Sample.detector, "-o", folder.file("out.wbm"), "--verify", "--progress"
    ).expect(0, "reference computes layer 2 of 23")
  }

  @Test("run --profile --json prints each layer's time, kernel and operations")
  func profile() throws {
    let outcome = try Program.run(
      "run", Sample.detector, "--inputs", Sample.input, "--profile", "--json")
    outcome.expect(0)
    let layers = try #require(try outcome.json()["layers"]?.array)
    let count = layers.reduce(0) { $0 + ($1.object?["operations"]?.integer ?? 0) }
    let batch = try #require(try ArrayFile.read(Sample.input).first).tensor.shape[0]
    let cost = try #require(try Inspection(of: Sample.detector).cost)
    #expect(count == cost.operationCount * batch)
    let kernels = layers.compactMap { layer in layer.object?["kernel"]?.string }
    #expect(kernels.contains { kernel in kernel.hasPrefix("own blocked") })
  }

  private func run(_ arrays: [NamedTensor], _ model: String) throws -> Outcome {
    let workspace = try Workspace()
    try ArrayFile.write(arrays, to: workspace.folder.file("x.npz"))
    let outcome = try Program.run(
      "run", model, "--inputs", workspace.folder.file("x.npz"), "--outputs", workspace.output)
    if outcome.status != 0 { try workspace.expectUntouched("x.npz") }
    return outcome
  }

  private func zeros(_ name: String, _ shape: [Int]) -> NamedTensor {
    let zeros = [Double](repeating: 0, count: shape.reduce(1, *))
    return NamedTensor(name: name, tensor: Tensor(.float32, shape: shape, zeros))
  }

  @Test("An array of another shape is refused, and the expected shape is named")
  func wrongShape() throws {
    for shape in [[1, 3, 88, 88], [88, 88, 3], [1, 88, 88, 1]] {
      try run([zeros("input_1", shape)], Sample.detector).expect(
        2, "input_1 takes float32 [batch, 88, 88, 3] and was given float32 \(shape)")
    }
  }

  @Test(
    "An array without elements whose other axes are huge is refused",
    arguments: ["(0, 1099511627776, 1099511627776, 3)", "(1099511627776, 1099511627776, 0, 3)"])
  func emptyAndHuge(shape: String) throws {
    let workspace = try Workspace()
    let header = "{'descr': '<f4', 'fortran_order': False, 'shape': \(shape), }"
    let padded = header + String(repeating: " ", count: 117 - header.utf8.count) + "\n"
    try Files.write(
      Array("\u{93}NUMPY\u{1}\0\u{76}\0\(padded)".unicodeScalars.map { UInt8($0.value) }),
      to: workspace.folder.file("x.npy"))
    try Program.run(
      "run", Sample.detector, "--inputs", workspace.folder.file("x.npy"), "--outputs",
      workspace.output
    ).expect(3, "x.npy", "too large")
  }

  @Test("Surplus, missing and misnamed arrays are refused, and the inputs named")
  func wrongArrays() throws {
    let model = Paths.sample("Layers/add/add_two.h5")
    let inputs = try ArrayFile.read(Paths.sample("Layers/add/add_two.inputs.npz"))
    try run(inputs, model).expect(0)
    try run([inputs[0]], model).expect(2, "do not fit the inputs", inputs[1].name)
    try run(inputs + [zeros("extra", [1])], model).expect(2, "extra")
    let misnamed = [inputs[0], NamedTensor(name: "typo", tensor: inputs[1].tensor)]
    try run(misnamed, model).expect(2, "typo")
  }

  @Test("Arrays with unknown names are matched by order")
  func byOrder() throws {
    let model = Paths.sample("Layers/subtract/subtract_two.h5")
    let inputs = try ArrayFile.read(Paths.sample("Layers/subtract/subtract_two.inputs.npz"))
    let renamed = inputs.enumerated().map { NamedTensor(name: "in\($0)", tensor: $1.tensor) }
    try run(renamed, model).expect(0)
  }

  #if arch(x86_64)
    @Test("A slow run is reported with the reason, unless --quiet is given")
    func slowness() throws {
      let folder = try TemporaryFolder()
      let (model, input) = (folder.file("int8.wbm"), folder.file("x.npz"))
      try Program.run(
        "compact", Sample.detector, "-o", model, "--activations", "int8", "--quiet"
      ).expect(0)
      // One thread of any processor takes more than 10 ms for so many images with portable kernels.
      try ArrayFile.write([zeros("input_1", [128, 88, 88, 3])], to: input)
      func profiled(_ instructions: String, _ options: String...) throws -> Outcome {
        let outcome = try Program.start(
          ["run", model, "--inputs", input, "--profile", "--threads", "1"] + options,
          environment: ["WEIGHBRIDGE_MAX_ISA": instructions]
        ).wait()
        outcome.expect(0)
        return outcome
      }
      #expect(try profiled("portable").messages.contains("slow: this processor has no AVX2"))
      #expect(try !profiled("portable", "--quiet").messages.contains("slow: "))
      // The name of a kernel with dot products of bytes says so.
      let restricted = try profiled("avx2").output
      #expect(restricted.contains("int8 convolution"))
      #expect(!restricted.contains("int8 convolution ("))
      #expect(folder.names == ["int8.wbm", "x.npz"])
    }
  #endif

  @Test("A memory limit that is too small has its own status")
  func memoryLimit() throws {
    try Program.run(
      "run", Sample.detector, "--inputs", Sample.input, "--outputs", "/nowhere/y.npz",
      "--memory-limit", "10K"
    ).expect(5, "--memory-limit")
  }

  @Test("An output that cannot be written has its own status")
  func output() throws {
    try Program.run(
      "run", Sample.detector, "--inputs", Sample.input, "--outputs", "/nowhere/y.npz"
    ).expect(4, "/nowhere/y.npz")
  }
}
