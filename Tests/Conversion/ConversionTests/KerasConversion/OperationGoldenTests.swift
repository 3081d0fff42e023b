import TestSupport
import Testing
import Weighbridge

/// What functions compute, against what Keras computed: models of many small parts side by side.
@Suite struct OperationGoldenTests {
  /// A recorded model.
  struct Recording: CustomTestStringConvertible, Sendable {
    let path: String
    /// `h5` or `keras`.
    let container: String

    var testDescription: String { "\(path).\(container)" }
    var model: String { Paths.sample("Operations/\(path).\(container)") }
    var inputs: String { Paths.sample("Operations/\(path).inputs.npz") }
    var outputs: String { Paths.sample("Operations/\(path).outputs.npz") }

    static let folders = [
      "keras2", "keras3", "keras3_0_5", "keras3_1_0", "keras3_3_3", "keras3_9_2", "keras3_jax",
      "tensorflow23", "tensorflow23_resaved",
    ]
    static let all: [Recording] = folders.flatMap { folder in
      Files.names(in: Paths.sample("Operations/\(folder)")).compactMap { name in
        guard let dot = name.lastIndex(of: "."), !name.hasSuffix(".npz") else { return nil }
        let container = String(name[name.index(after: dot)...])
        return Recording(path: "\(folder)/\(name[..<dot])", container: container)
      }
    }
  }

  @Test("There are at least 60 recorded models")
  func count() {
    #expect(Recording.all.count >= 60)
  }

  @Test(
    "Each output is what Keras computed, from the source and from the .wbm alike",
    arguments: Recording.all)
  func golden(_ recording: Recording) throws {
    let inputs = try ArrayFile.read(recording.inputs)
    let expected = try ArrayFile.read(recording.outputs)
    let model = try Model(contentsOf: recording.model)
    let outputs = try model.run(inputs).outputs
    #expect(Set(outputs.map(\.name)) == Set(expected.map(\.name)))
    for output in outputs {
      #expect(output.tensor.type == expected[output.name]?.type, "\(output.name)")
    }
    for distance in distances(actual: outputs, expected: expected) {
      #expect(distance.isWithin(absolute: 1e-5, relative: 1e-5), "\(distance)")
    }
    for port in model.content.graph.outputs {
      let actual = try #require(outputs[port.name]).type
      #expect(model.content.graph[port.value].type.agrees(with: actual), "\(port.name)")
    }
    let folder = try TemporaryFolder()
    let path = folder.file("functions.wbm")
    try model.write(to: path)
    let again = try Model(contentsOf: path).run(inputs).outputs
    #expect(
      again.map { $0.tensor.contiguousBytes() } == outputs.map { $0.tensor.contiguousBytes() })
  }

  @Test("Numbers that TensorFlow has in float32 are not more precise in float64")
  func roundedConstants() throws {
    let sample = Paths.sample("Operations/keras3/rounded_constants")
    let outputs = try Model(contentsOf: "\(sample).h5")
      .run(ArrayFile.read("\(sample).inputs.npz")).outputs
    let expected = try ArrayFile.read("\(sample).outputs.npz")
    #expect(outputs.count == expected.count)
    for distance in distances(actual: outputs, expected: expected) {
      #expect(distance.isWithin(absolute: 1e-13, relative: 1e-13), "\(distance)")
    }
  }

  @Test(
    "Sums with a bias follow the backend that is given, whichever wrote the file",
    arguments: [("keras3_jax", "tensorflow", "keras3"), ("keras3", "jax", "keras3_jax")])
  func movedBiases(_ written: String, _ backend: String, _ expected: String) throws {
    var options = ReadOptions()
    options.kerasBackend = backend
    let model = try Model(
      contentsOf: Paths.sample("Operations/\(written)/moved_biases.h5"), options: options)
    let sample = Paths.sample("Operations/\(expected)/moved_biases")
    let outputs = try model.run(ArrayFile.read("\(sample).inputs.npz")).outputs
    let wanted = try ArrayFile.read("\(sample).outputs.npz")
    #expect(outputs.count == wanted.count)
    for distance in distances(actual: outputs, expected: wanted) {
      #expect(distance.isWithin(absolute: 1e-5, relative: 1e-5), "\(distance)")
    }
    let decisions = model.content.provenance.decisions.filter {
      $0.text.hasSuffix("as Keras does on TensorFlow")
    }
    #expect(decisions.isEmpty == (backend == "jax"))
  }
}
