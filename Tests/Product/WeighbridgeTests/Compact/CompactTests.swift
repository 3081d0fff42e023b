import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import TestSupport
import Testing

@testable import Weighbridge

/// Compaction through the library.
@Suite struct CompactTests {
  private static func sketchClassifier() throws -> Model {
    try Model(contentsOf: Paths.sample("Models/sketch-classifier/sketch-classifier.h5"))
  }

  @Test(
    "A detection head's error is measured on its raw numbers, before the sigmoids",
    arguments: [
      "yolo", "yolo_pjreddie", "yolo_new_coords", "gaussian_center", "region_softmax_pjreddie",
    ])
  func heads(sample: String) throws {
    var options = ReadOptions()
    options.darknet = sample.hasSuffix("pjreddie") ? .pjreddie : .alexeyab
    options.randomWeights = 0  // the network has only the box layer
    let graph = try Model(
      contentsOf: Paths.sample("Detection/\(sample)/net.cfg"), options: options
    ).content.graph
    #expect(graph.nodes.contains { $0.operation is Concatenate })
    #expect(graph.rawOutputs == graph.inputs.map(\.value))
  }

  @Test(
    "A classifier's error is measured before its softmax, other models' on their outputs")
  func scores() throws {
    let graph = try Self.sketchClassifier().content.graph
    let raw = try #require(graph.rawOutputs.first)
    #expect(graph.nodes[try #require(graph.producers[raw])].operation is Dense)
    let detector = try Model(
      contentsOf: Paths.sample("Models/shape-detector/shape-detector.h5")
    ).content.graph
    #expect(detector.rawOutputs == detector.outputs.map(\.value))
  }

  @Test("References of all zeros get the magnitude of the actual outputs as their tolerance")
  func zeroReferences() throws {
    let folder = try TemporaryFolder()
    var model = try Self.sketchClassifier()
    let inputs = try model.generatedInputs(.random(seed: 1))
    let outputs = try model.run(inputs).outputs
    let zeros = outputs.map {
      NamedTensor(
        name: $0.name,
        tensor: Tensor(
          .float32, shape: $0.tensor.shape, [Double](repeating: 0, count: $0.tensor.count)))
    }
    try model.addReferences(inputs: inputs, outputs: zeros, author: "nobody")
    var options = CompactOptions()
    options.budget = .encoding("int8")
    let small = try model.compacted(options)
    let bound = try #require(small.content.references.first?.tolerance.relativeL2)
    // The probabilities of 8 classes: between all equal and one of 1.
    #expect(bound > 0.125 && bound < 0.37)
    let path = folder.file("small.wbm")
    try small.write(to: path)
    #expect(try Model(contentsOf: path).verify().passed)
  }

  @Test(
    "Batch normalizations are folded on request, and the error is still measured"
  )
  func folded() throws {
    let folder = try TemporaryFolder()
    let model = try Model(contentsOf: Paths.sample("Models/shape-detector/shape-detector.h5"))
    var options = CompactOptions()
    options.budget = .error(0.02)
    let exact = try model.compacted(options)
    options.foldBatchNorm = true
    let small = try model.compacted(options)
    let counts = [model, exact, small].map { model in
      model.content.graph.nodes.count { $0.operation is BatchNormalization }
    }
    #expect(counts == [6, 6, 0])
    let record = try #require(small.content.compaction)
    #expect(record.request == "a relative error of at most 0.02, batch normalizations folded")
    let inputs = try model.generatedInputs(.random(seed: 77))
    let (found, exactOutputs) = (try small.run(inputs).outputs, try model.run(inputs).outputs)
    #expect(found.count == exactOutputs.count)
    for (actual, expected) in zip(found, exactOutputs) {
      #expect(TensorDifference(actual: actual.tensor, expected: expected.tensor).relativeL2 < 0.04)
    }
    let path = folder.file("small.wbm")
    try small.write(to: path)
    #expect(try Model(contentsOf: path).verify().passed)
    options.budget = .lossless
    let error = #expect(throws: WeighbridgeError.self) { try model.compacted(options) }
    #expect(error?.code == .mismatch)
    #expect(error?.reason.contains("folding batch normalizations") == true, "\(error as Any)")
  }
}
