import GraphIR
import TestSupport
import Testing
import Weighbridge

/// `run` with generated inputs.
@Suite struct GeneratedInputTests {
  private static let sum = Paths.sample("Layers/add/add_two.h5")

  @Test("Without --inputs, the message lists the model's inputs and commands to continue with")
  func help() throws {
    let outcome = try Program.run("run", Sample.detector)
    outcome.expect(
      2, "takes one array:\n  input_1  float32 [batch, 88, 88, 3]\n",
      #"np.save("input.npy", np.zeros((1, 88, 88, 3), "float32"))"#,
      "weighbridge run \(Sample.detector) --inputs input.npy --outputs outputs.npz\n",
      "--inputs random:1 --outputs outputs.npz", "--inputs ones --outputs outputs.npz")
    #expect(outcome.output.isEmpty)
  }

  @Test("Several inputs are named in the line of Python, and the typed options are kept")
  func severalInputs() throws {
    try Program.run("run", Self.sum, "--outputs", "my outputs.npz").expect(
      2,
      "takes 2 arrays:\n  input_1  float32 [batch, 4, 5, 3]\n  input_2  float32 [batch, 4, 5, 3]",
      #"np.savez("inputs.npz", **{"input_1": np.zeros((1, 4, 5, 3), "float32"), "input_2": "#,
      "--outputs 'my outputs.npz' --inputs inputs.npz\n")
  }

  @Test("Without --inputs and with an unreadable model, both problems are reported")
  func noModel() throws {
    try Program.run("run", "nowhere.h5").expect(
      2, "--inputs FILE, --inputs random:SEED or --inputs ones", "nowhere.h5: cannot open")
  }

  @Test("Ones are ones: a sum of two is 2 everywhere")
  func ones() throws {
    let folder = try TemporaryFolder()
    try Program.run("run", Self.sum, "--inputs", "ones", "--outputs", folder.file("y.npy")).expect(
      0, "generated: input_1 float32 [1, 4, 5, 3]")
    let output = try #require(try ArrayFile.read(folder.file("y.npy")).first).tensor
    #expect(output.shape == [1, 4, 5, 3])
    #expect(output.doubles.allSatisfy { $0 == 2 })
  }

  @Test("Random inputs are in 0..<1, equal for equal seeds and different for others")
  func random() throws {
    let model = try Model(contentsOf: Self.sum)
    let numbers = try [1, 1, 2].map { seed in
      try model.generatedInputs(.random(seed: seed)).flatMap(\.tensor.doubles)
    }
    #expect(numbers[0] == numbers[1] && numbers[0] != numbers[2])
    #expect(numbers[0].allSatisfy { (0..<1).contains($0) })
    #expect(Set(numbers[0]).count > 100)
  }

  @Test(
    "Indices stay within the rows of an embedding, whatever type the input has",
    arguments: ["embedding", "embedding_float_indices", "embedding_unknown_length"])
  func indices(_ name: String) throws {
    let path = Paths.sample("Layers/embedding/\(name).h5")
    let model = try Model(contentsOf: path)
    let weights = try #require(model.content.graph.weights.first)
    for seed in 0..<20 as Range<UInt64> {
      let inputs = try model.generatedInputs(.random(seed: seed))
      let numbers = inputs.flatMap(\.tensor.doubles)
      let limit = Double(weights.tensor.shape[0])
      #expect(
        !numbers.isEmpty && numbers.allSatisfy { $0 >= 0 && $0 < limit && $0 == $0.rounded() })
      _ = try model.run(inputs)
    }
    try Program.run("run", path, "--inputs", "random:7", "--repeat", "1").expect(0)
  }
}
