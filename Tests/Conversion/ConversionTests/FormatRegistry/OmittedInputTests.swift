import Bytes
import TestSupport
import Testing
import Weighbridge

/// Inputs that a run may leave out: `remembering` has a state that starts at zero, `defaults` a
/// factor of 2.5 and a summand of -3, as Core ML's files say it.
@Suite struct OmittedInputTests {
  private func sample(_ name: String) -> String { Paths.sample("CoreML/\(name)") }

  private func array(_ name: String, in file: String) throws -> NamedTensor {
    try #require(try ArrayFile.read(sample(file)).first { $0.name == name })
  }

  private func expect(_ outputs: [NamedTensor], _ file: String, _ form: String) throws {
    let expected = try ArrayFile.read(sample(file))
    #expect(outputs.count == expected.count)
    for distance in distances(actual: outputs, expected: expected) {
      #expect(distance.isWithin(absolute: 1e-5, relative: 1e-5), "\(form): \(distance)")
    }
  }

  @Test("A state starts at zero and makes the next window's result", arguments: Engine.allCases)
  func state(engine: Engine) throws {
    let folder = try TemporaryFolder()
    let original = try Model(contentsOf: sample("remembering.mlmodel"))
    try original.write(to: folder.file("m.wbm"))
    try original.export(to: folder.file("m.mlmodel"))
    var options = RunOptions()
    options.engine = engine
    for file in [sample("remembering.mlmodel"), folder.file("m.wbm"), folder.file("m.mlmodel")] {
      let model = try Model(contentsOf: file)
      #expect(model.metadata.inputs.map(\.defaultValue) == [nil, 0, 0], "\(file)")
      let session = try model.session(options)
      let (before, after) = ("remembering.before.npz", "remembering.inputs.npz")
      let first = try session.run([try array("features", in: before).shaped(for: model)]).outputs
      var inputs = [try array("features", in: after).shaped(for: model)]
      for (output, input) in [("h_out", "h_in"), ("c_out", "c_in")] {
        let state = try #require(first.first { $0.name == output })
        inputs.append(try NamedTensor(name: input, tensor: state.tensor).shaped(for: model))
      }
      let expected = try ArrayFile.read(sample("remembering.outputs.npz"))
      let outputs = try session.run(inputs).outputs
      #expect(outputs.map(\.name) == expected.map(\.name))
      for (output, expected) in zip(outputs, expected) {
        #expect(output.tensor.doubles.count == expected.tensor.doubles.count)
        for (one, other) in zip(output.tensor.doubles, expected.tensor.doubles) {
          #expect(abs(one - other) < 1e-5, "\(file): \(output.name)")
        }
      }
    }
  }

  @Test("What is given takes the place of a default, by name and by order")
  func given() throws {
    let model = try Model(contentsOf: sample("defaults.mlmodel"))
    let arrays = try ["x", "factor", "summand"].map { try array($0, in: "defaults.given.npz") }
    let expected = try array("y", in: "defaults.given.npz")
    let unnamed = arrays.map { NamedTensor(name: "", tensor: $0.tensor) }
    for inputs in [arrays, arrays.reversed(), unnamed] {
      let outputs = try model.run(inputs).outputs
      for distance in distances(actual: outputs, expected: [expected]) {
        #expect(distance.absolute == 0, "\(distance)")
      }
    }
    let alone = try model.run([unnamed[0]]).outputs
    let named = try model.run([arrays[0]]).outputs
    #expect(alone[0].tensor.doubles == named[0].tensor.doubles)
    for inputs in [[], [arrays[1]], Array(unnamed[..<2])] {
      let error = failure { _ = try model.run(inputs) }
      #expect(error?.code == .mismatch)
      #expect(error?.reason.contains("the model has x float32 [2, 3]") == true)
    }
  }

  @Test("Core ML's own defaults are written with the version that has them")
  func written() throws {
    let folder = try TemporaryFolder()
    let model = try Model(contentsOf: sample("defaults.mlmodel"))
    #expect(model.metadata.inputs.map(\.defaultValue) == [nil, 2.5, -3])
    try model.export(to: folder.file("m.mlmodel"))
    try model.write(to: folder.file("m.wbm"))
    for file in [folder.file("m.mlmodel"), folder.file("m.wbm")] {
      let copy = try Model(contentsOf: file)
      #expect(copy.metadata.inputs.map(\.defaultValue) == [nil, 2.5, -3], "\(file)")
      let outputs = try copy.run(ArrayFile.read(sample("defaults.inputs.npz"))).outputs
      try expect(outputs, "defaults.outputs.npz", file)
      #expect(try Inspection(of: file).description.inputs[1].defaultValue == 2.5)
    }
    var options = CoreMLOptions()
    options.specVersion = 4
    let error = failure {
      try model.export(to: folder.file("old.mlmodel"), as: .coreml(options))
    }
    #expect(error?.reason.contains("needs specification version 5") == true)
  }

  @Test("A format without defaults asks for the input, and the report says so")
  func notes() throws {
    let folder = try TemporaryFolder()
    let model = try Model(contentsOf: sample("defaults.mlmodel"))
    let report = try model.export(to: folder.file("m.onnx"))
    #expect(report.notes.contains("factor must be given; here it is 2.5 where it is not"))
    let copy = try Model(contentsOf: folder.file("m.onnx"))
    let error = failure { _ = try copy.run(ArrayFile.read(sample("defaults.inputs.npz"))) }
    #expect(error?.code == .mismatch)
    let given = try ["x", "factor", "summand"].map { try array($0, in: "defaults.given.npz") }
    let expected = try array("y", in: "defaults.given.npz")
    for distance in distances(actual: try copy.run(given).outputs, expected: [expected]) {
      #expect(distance.absolute == 0, "\(distance)")
    }
  }

  @Test("References without an input are stored with its default, and hold")
  func references() throws {
    let folder = try TemporaryFolder()
    var model = try Model(contentsOf: sample("defaults.mlmodel"))
    try model.addReferences(
      inputs: ArrayFile.read(sample("defaults.inputs.npz")),
      outputs: ArrayFile.read(sample("defaults.outputs.npz")), author: "NumPy")
    try model.write(to: folder.file("m.wbm"))
    let written = try Model(contentsOf: folder.file("m.wbm"))
    let set = try #require(written.references.first)
    #expect(set.inputs.map(\.name) == ["x", "factor", "summand"])
    #expect(set.inputs[2].tensor.doubles == [Double](repeating: -3, count: 6))
    #expect(try written.verify().passed)
  }

  @Test(
    "A user's default fits the input",
    arguments: [
      ("Models/sketch-classifier/sketch-classifier.h5", 0.0, "takes known sizes"),
      ("CoreML/defaults.mlmodel", 0.5, "a number that the element type has"),
    ])
  func edited(file: String, number: Double, reason: String) throws {
    var model = try Model(contentsOf: Paths.sample(file))
    let name = try #require(model.inputs.last?.name)
    var edit = DescriptionEdit()
    edit.inputDefaults = [name: number]
    let error = failure { try model.describe(edit) }
    #expect(error?.code == .mismatch)
    #expect(error?.reason.contains(reason) == true, "\(error?.reason ?? "")")
    if file.hasPrefix("CoreML") {
      edit.inputDefaults = [name: 4]
      try model.describe(edit)
      #expect(model.metadata.inputs.last?.defaultValue == 4)
    }
  }
}

extension NamedTensor {
  /// The array in the shape of the input with its name: what is written as `.mlmodel` has a batch.
  fileprivate func shaped(for model: Model) throws -> NamedTensor {
    let port = try #require(model.inputs.first { $0.name == name })
    return NamedTensor(name: name, tensor: tensor.reshaped(try #require(port.type.fixedShape)))
  }
}
