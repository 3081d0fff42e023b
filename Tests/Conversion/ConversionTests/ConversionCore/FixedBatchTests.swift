import Bytes
import ConversionCore
import GraphIR
import TestSupport
import Testing
import Weighbridge

@Suite struct FixedBatchTests {
  private static let sample = "Layers/convolution/conv2d_same_kernel4x2_stride2x3"

  private func exported(_ name: String, batchSize: Int?, to path: String) throws -> Model {
    var options = ExportOptions()
    options.batchSize = batchSize
    _ = try Model(contentsOf: Paths.sample("\(name).h5")).export(to: path, options: options)
    return try Model(contentsOf: path)
  }

  private func batches(_ model: Model) -> [Dimension?] {
    let graph = model.content.graph
    return (graph.inputs + graph.outputs).map { graph[$0.value].type.shape.first }
  }

  @Test(
    "A model with a batch of two takes two examples and no other number",
    arguments: [sample, "Layers/lstm/lstm_bidirectional"], ["onnx", "tflite"])
  func two(sample: String, format: String) throws {
    let folder = try TemporaryFolder()
    let model = try exported(sample, batchSize: 2, to: folder.file("two.\(format)"))
    #expect(Set(batches(model)) == [2])
    let inputs = try ArrayFile.read(Paths.sample("\(sample).inputs.npz"))
    let outputs = try model.run(inputs).outputs
    let wanted = try ArrayFile.read(Paths.sample("\(sample).outputs.npz"))
    for distance in distances(actual: outputs, expected: wanted) {
      #expect(distance.isWithin(absolute: 1e-5, relative: 1e-5), "\(distance)")
    }
    let one = inputs.map { NamedTensor(name: $0.name, tensor: $0.tensor.slice(0..<1, along: 0)) }
    #expect(failure { _ = try model.run(one) }?.code == .mismatch)
  }

  @Test("Without the option the batch stays open", arguments: ["onnx", "tflite"])
  func open(format: String) throws {
    let folder = try TemporaryFolder()
    let model = try exported(Self.sample, batchSize: nil, to: folder.file("open.\(format)"))
    #expect(batches(model).allSatisfy { $0?.value == nil })
  }

  @Test(
    "A batch of none or of too many is refused, and nothing is written",
    arguments: [0, -1, 1 << 31])
  func none(size: Int) throws {
    let folder = try TemporaryFolder()
    let error = failure {
      _ = try exported(Self.sample, batchSize: size, to: folder.file("m.onnx"))
    }
    #expect(error?.code == .mismatch)
    #expect(error?.reason.contains("is \(size), expected 1 to 2147483647") == true)
    #expect(folder.names.isEmpty)
  }

  @Test("A file with a fixed batch is not given another")
  func fixed() throws {
    let folder = try TemporaryFolder()
    let model = try exported(Self.sample, batchSize: 2, to: folder.file("two.onnx"))
    var options = ExportOptions()
    options.batchSize = 3
    let error = failure { _ = try model.export(to: folder.file("three.onnx"), options: options) }
    #expect(error?.code == .mismatch)
    #expect(error?.reason.contains("sets the size of a batch that is open") == true)
    #expect(folder.names == ["two.onnx"])
  }
}
