import Bytes
import CoreMLFormat
import GraphIR
import ProtobufWire
import TestSupport
import Testing
import Weighbridge

/// Recurrent layers written as Core ML's native layers, and what they compute.
@Suite struct CoreMLRecurrentTests {
  private func layers(_ path: String) throws -> [CoreMLLayer] {
    let bytes = [UInt8](try Files.read(path))
    guard case .neuralNetwork(let network) = try CoreMLReader.read(bytes.span.bytes).content else {
      Issue.record("\(path) is no network")
      return []
    }
    return network.layers
  }

  @Test("A bidirectional LSTM becomes one layer and computes what Keras computed")
  func bidirectional() throws {
    let folder = try TemporaryFolder()
    let sample = LayerCase(kind: "lstm", name: "lstm_bidirectional")
    try Model(contentsOf: sample.model).export(to: folder.file("m.mlmodel"))
    let layers = try layers(folder.file("m.mlmodel"))
    // The others merge in another way, have states that are used, or directions of different
    // sizes.
    #expect(layers.count { $0.kind == "biDirectionalLSTM" } == 1)
    let layer = try #require(layers.first { $0.kind == "biDirectionalLSTM" })
    #expect(layer.name.hasPrefix("bidirectional/") && layer.outputs.count == 5)
    #expect(layer.settings.records("weightParams").count == 2)
    let cellClip = layer.settings.record("params")?.double("cellClipThreshold")
    #expect(cellClip == Double(Float.greatestFiniteMagnitude), "a limit to the cell's state")
    let copy = try Model(contentsOf: folder.file("m.mlmodel"))
    let inputs = try ArrayFile.read(sample.inputs)
    let expected = try ArrayFile.read(sample.outputs)
    for row in 0..<inputs[0].tensor.shape[0] {
      let example = { (array: NamedTensor) in
        NamedTensor(name: array.name, tensor: array.tensor.slice(row..<row + 1, along: 0))
      }
      let actual = try copy.run(inputs.map(example)).outputs
      for distance in distances(actual: actual, expected: expected.map(example)) {
        #expect(distance.error < 1e-5)
      }
    }
  }

  @Test(
    "An operator along the axis that Core ML uses as the batch is refused",
    arguments: ["Layers/lstm/lstm_time_major.h5", "Keras/1.2.2-tensorflow/bn_mode2.h5"])
  func alongBatch(_ path: String) throws {
    let folder = try TemporaryFolder()
    let model = try Model(contentsOf: Paths.sample(path))
    let error = failure { try model.export(to: folder.file("m.mlmodel")) }
    #expect(error?.code == .unsupported)
    #expect(error?.reason.contains("across the batch axis of an input") == true)
    #expect(folder.names.isEmpty)
  }

  @Test("Attention along several axes is written within Core ML's five, and gives what Keras gave")
  func axes() throws {
    let folder = try TemporaryFolder()
    let sample = Paths.sample("Operations/keras2/attention_heads_along_axes")
    try Model(contentsOf: "\(sample).h5").export(to: folder.file("m.mlmodel"))
    let copy = try Model(contentsOf: folder.file("m.mlmodel"))
    let expected = try ArrayFile.read("\(sample).outputs.npz")
    let firstExample = { (array: NamedTensor) in
      NamedTensor(name: array.name, tensor: array.tensor.slice(0..<1, along: 0))
    }
    let actual = try copy.run(try ArrayFile.read("\(sample).inputs.npz").map(firstExample)).outputs
    let differences = distances(actual: actual, expected: expected.map(firstExample))
    #expect(differences.count == expected.count && differences.allSatisfy { $0.error < 1e-5 })
  }
}
