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
    _ name: String, fixing inputs: [String: InputValue] = [:], shapes: [InputShape] = []
  ) throws -> Model {
    var options = ReadOptions()
    options.fixedInputs = inputs
    options.inputShapes = shapes
    return try Model(contentsOf: path("\(name).onnx"), options: options)
  }

  private func refusal(
    _ name: String, fixing inputs: [String: InputValue] = [:], shapes: [InputShape] = []
  ) throws -> WeighbridgeError {
    try #require(failure { _ = try model(name, fixing: inputs, shapes: shapes) })
  }

  private func expect(
    _ model: Model, _ inputs: String, _ outputs: String, _ others: NamedTensor...
  ) throws {
    let expected = try ArrayFile.read(path("\(outputs).outputs.npz"))
    let inputs = try ArrayFile.read(path("\(inputs).inputs.npz"))
    let actual = try model.run(inputs + others).outputs
    #expect(actual.map(\.name) == expected.map(\.name))
    for distance in distances(actual: actual, expected: expected) {
      #expect(distance.error < 1e-6, "\(distance)")
    }
  }

  @Test(
    "An input chooses the branch that onnxruntime takes when the model runs",
    arguments: ["rates", "unordered"], [8000, 16000])
  func undecided(_ name: String, rate: Int) throws {
    let rateInput = NamedTensor(name: "sr", tensor: Tensor(.int64, shape: [], [Double(rate)]))
    try expect(try model(name), "rates", "rates.\(rate)", rateInput)
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
        "7 nodes come before others that they read from; the nodes were put in order"))
    #expect(try self.model("shuffled").provenance.decisions.isEmpty)
  }

  @Test(
    "An input cannot be fixed at what it cannot hold",
    arguments: [
      (["rate": .integer(8000)], "has no input rate, which was to be fixed; its inputs are x, sr"),
      (["sr": .real(0.5)], "the input sr takes int64, which 0.5 is not"),
      (["sr": .boolean(true)], "the input sr takes int64, which true is not"),
      (["x": .integer(1)], "the input x is float32 [batch, 1, samples], and was to be fixed at 1"),
      (["x": .list([.real(1)])], "is float32 [batch, 1, samples], and was to be fixed at [1.0]"),
      (
        ["sr": .list([.integer(1), .list([.integer(2)])])],
        "the lists in [1,[2]], for the input sr, differ"
      ),
    ] as [([String: InputValue], String)])
  func wrongNumber(_ inputs: [String: InputValue], _ reason: String) throws {
    let error = try refusal("rates", fixing: inputs)
    #expect(error.code == .mismatch && error.reason.contains(reason), "\(error)")
  }

  @Test(
    "Numbers and booleans are parsed, and nothing else is",
    arguments: ["16000", "-1", "0.5", "1e-3", "true", "false", "[1, 2]", "[[0.5],[2]]", "@w.npy"])
  func numbers(_ text: String) throws {
    let number = try #require(InputValue(text))
    #expect(InputValue(number.description) == number)
    #expect(
      ["", "one", "nan", "inf", "0x", "1,5", "True", "[", "[]", "[1", "[1,]", "[1]2", "@"]
        .allSatisfy { InputValue($0) == nil })
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
    #expect(error.reason.contains("`ReadOptions.inputShapes` x=1,3,224,224"))
  }

  @Test("A stated shape decides what follows from an open size")
  func statedShape() throws {
    let model = try model("squeezed", shapes: [InputShape([1, 1, 4])])
    #expect(model.inputs.map(\.type.description) == ["float32 [1, 1, 4]"])
    #expect(model.provenance.options["input-shape"] == "1,1,4")
    try expect(model, "squeezed", "squeezed")
  }

  @Test("A size is that of all axes with its name")
  func namedSizes() throws {
    let shape = InputShape([7, 1, nil], of: "x")
    let model = try model("rates", fixing: ["sr": .integer(8000)], shapes: [shape])
    #expect(model.inputs.map(\.type.description) == ["float32 [7, 1, samples]"])
    #expect(model.outputs[0].type.shape[0] == 7)
  }

  @Test(
    "A shape that the file contradicts is refused",
    arguments: [
      (InputShape([1, 1, 5]), "has the shape 1,None,4 in the file, and 1,1,5 was given"),
      (InputShape([1, 4]), "has the shape 1,None,4 in the file, and 1,4 was given"),
      (InputShape([1, 0, 4]), "dimensions from 1 on are expected"),
      (InputShape([1, 1, 4], of: "z"), "has no input z, for which the shape 1,1,4 was given"),
    ])
  func wrongShape(_ shape: InputShape, _ reason: String) throws {
    let error = try refusal("squeezed", shapes: [shape])
    #expect(error.code == .mismatch && error.reason.contains(reason), "\(error)")
  }

  @Test("An input is fixed at an array, given as a list or in a NumPy file")
  func arrays() throws {
    let numbers = (0..<32).map { Double($0) / 8 }
    let folder = try TemporaryFolder()
    let path = folder.file("x.npy")
    let array = Tensor(.float32, shape: [1, 1, 32], numbers)
    try ArrayFile.write([NamedTensor(name: "", tensor: array)], to: path)
    let list = InputValue.list([.list([.list(numbers.map { .real($0) })])])
    let expected = try model("rates", fixing: ["sr": .integer(8000)]).run([
      NamedTensor(name: "x", tensor: array)
    ])
    for value in [list, .file(path)] {
      let fixed = try model("rates", fixing: ["sr": .integer(8000), "x": value])
      #expect(fixed.inputs.isEmpty)
      #expect(try fixed.run([]).outputs[0].tensor.doubles == expected.outputs[0].tensor.doubles)
    }
    let missing = try refusal("rates", fixing: ["x": .file(folder.file("none.npy"))])
    #expect(missing.code == .missing)
    let other = try refusal("rates", fixing: ["sr": .file(path)])
    #expect(
      other.code == .mismatch && other.reason.contains("with the shape [1, 1, 32]"), "\(other)")
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
