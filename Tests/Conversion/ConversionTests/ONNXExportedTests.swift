import Bytes
import ConversionCore
import FormatRegistry
import GraphIR
import LayerCatalog
import TestSupport
import Testing
import Weighbridge

/// ONNX files as other programs export them (`Samples/ONNX/Exported`).
@Suite struct ONNXExportedTests {
  private func path(_ name: String) -> String { Paths.sample("ONNX/Exported/\(name)") }

  private func model(
    _ name: String, fixing inputs: [String: InputNumber] = [:]
  ) throws -> Model {
    var options = ReadOptions()
    options.fixedInputs = inputs
    return try Model(contentsOf: path("\(name).onnx"), options: options)
  }

  private func refusal(
    _ name: String, fixing inputs: [String: InputNumber] = [:]
  ) throws -> WeighbridgeError {
    try #require(failure { _ = try model(name, fixing: inputs) })
  }

  private func expect(_ model: Model, _ inputs: String, _ outputs: String) throws {
    let expected = try ArrayFile.read(path("\(outputs).outputs.npz"))
    let actual = try model.run(try ArrayFile.read(path("\(inputs).inputs.npz"))).outputs
    #expect(actual.map(\.name) == expected.map(\.name))
    for distance in distances(actual: actual, expected: expected) {
      #expect(distance.error < 1e-6, "\(distance)")
    }
  }

  @Test(
    "A branch that depends on an input is refused with the advice to fix that input",
    arguments: ["rates", "unordered"])
  func undecided(_ name: String) throws {
    let error = try refusal(name)
    #expect(error.code == .unsupported)
    #expect(error.reason.contains("follows from the input sr, known only when the model runs"))
    #expect(error.reason.hasSuffix("for example with `ReadOptions.fixedInputs` sr=16000"))
  }

  @Test(
    "An input that is fixed chooses the branch that onnxruntime takes",
    arguments: ["rates", "unordered"], [8000, 16000])
  func fixed(_ name: String, rate: Int) throws {
    let model = try model(name, fixing: ["sr": .integer(rate)])
    #expect(model.inputs.map(\.name) == ["x"])
    #expect(
      model.provenance.decisions.map(\.text).contains(
        "the input sr is fixed at \(rate), and is no input of the model any more"))
    try expect(model, "rates", "rates.\(rate)")
  }

  @Test("Unordered nodes are sorted, and that is recorded")
  func order() throws {
    let model = try model("unordered", fixing: ["sr": .integer(8000)])
    #expect(
      model.provenance.decisions.map(\.text).contains(
        "7 nodes stand before others that they read from; the nodes were put in order"))
    #expect(try self.model("shuffled").provenance.decisions.isEmpty)
  }

  @Test(
    "An input cannot be fixed at what it cannot hold",
    arguments: [
      (["rate": .integer(8000)], "has no input rate, which was to be fixed; its inputs are x, sr"),
      (["sr": .real(0.5)], "the input sr takes int64, which 0.5 is not"),
      (["sr": .boolean(true)], "the input sr takes int64, which true is not"),
      (["x": .integer(1)], "is float32 [batch, 1, samples], and only a single number can be fixed"),
    ] as [([String: InputNumber], String)])
  func wrongNumber(_ inputs: [String: InputNumber], _ reason: String) throws {
    let error = try refusal("rates", fixing: inputs)
    #expect(error.code == .mismatch && error.reason.contains(reason), "\(error)")
  }

  @Test(
    "Numbers and booleans are parsed, and nothing else is",
    arguments: ["16000", "-1", "0.5", "1e-3", "true", "false"])
  func numbers(_ text: String) throws {
    let number = try #require(InputNumber(text))
    #expect(InputNumber(number.description) == number)
    #expect(["", "one", "nan", "inf", "0x", "1,5", "True"].allSatisfy { InputNumber($0) == nil })
  }

  @Test(
    "An input of a file that is no ONNX file cannot be fixed",
    arguments: [
      "Models/shape-detector/shape-detector.h5", "ONNX/Exported/rates.inputs.npz",
    ])
  func otherFormat(_ name: String) throws {
    var options = ReadOptions()
    options.fixedInputs = ["sr": .integer(8000)]
    options.architecture =
      name.hasSuffix("npz") ? Paths.sample("Models/shape-detector/shape-detector.h5") : nil
    let error = failure { _ = try Model(contentsOf: Paths.sample(name), options: options) }
    #expect(
      error?.code == .mismatch
        && error?.reason.contains("`ReadOptions.fixedInputs` does not apply") == true)
  }

  @Test("A branch that depends on an open size is refused with the advice to fix the shape")
  func openSize() throws {
    let error = try refusal("squeezed")
    #expect(error.code == .unsupported)
    #expect(error.reason.contains("follows from a size of the input x that the file leaves open"))
    #expect(error.reason.contains("make_dynamic_shape_fixed"))
  }

  @Test("Networks that PyTorch exported compute the same", arguments: ["shuffled", "unshuffled"])
  func pytorch(_ name: String) throws { try expect(try model(name), name, name) }

  @Test("A network of scikit-learn gives its probabilities as a table")
  func perceptron() throws {
    let model = try model("perceptron")
    try expect(model, "perceptron", "perceptron")
    #expect(
      model.provenance.decisions.map(\.text) == [
        "the maps output_probability are given as a table with a column for each class, in this "
          + "order: 0, 1, 2"
      ])
  }

  @Test(
    "A model that is not a network is named by its kind",
    arguments: [
      ("forest", "ai.onnx.ml.TreeEnsembleClassifier. ai.onnx.ml", "(here a tree ensemble)"),
      ("boosted", "ai.onnx.ml.TreeEnsembleRegressor", "onnxruntime runs the file as it is"),
      ("logistic", "ai.onnx.ml.LinearClassifier", "(here a linear model), which is no neural"),
      ("optimized", "com.microsoft.FusedConv", "Use the file from before that step"),
    ])
  func otherKind(_ name: String, _ operators: String, _ explanation: String) throws {
    let error = try refusal(name)
    #expect(error.code == .unsupported)
    #expect(error.reason.contains(operators) && error.reason.contains(explanation), "\(error)")
  }
}
