import GraphIR
import TestSupport
import Testing
import Weighbridge

/// One network by Keras and by darknet, given the same numbers.
@Suite struct TinyYOLOTests {
  private let detector = Paths.sample("Models/shape-detector/shape-detector.h5")

  /// Writes the numbers of a chain of Keras convolutions as darknet orders them: biases, scales,
  /// means, variances, kernel.
  private func writeWeights(of model: Model, to path: String) throws {
    let graph = model.content.graph
    var bytes: [UInt8] = [0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0] + [UInt8](repeating: 0, count: 8)
    var kernel: [UInt8] = []
    var isPending = false
    for node in graph.nodes {
      let weights = node.inputs.compactMap { graph[$0].constant?.contiguousBytes() }
      switch node.operation.kind {
      case "convolution":
        if isPending { bytes += kernel }
        kernel = weights[0]
        isPending = true
        if weights.count == 2 { bytes += weights[1] }
      case "batch_normalization":  // gamma, beta, mean, variance
        bytes += weights[1] + weights[0] + weights[2] + weights[3]
      default: break
      }
    }
    try Files.write(bytes + kernel, to: path)
  }

  /// The differences between a Keras network and its `.cfg`, given the same numbers.
  private func differences(_ source: String, _ text: some Sequence<UInt8>) throws -> [String] {
    let folder = try TemporaryFolder()
    let model = try Model(contentsOf: source)
    try Files.write(text, to: folder.file("m.cfg"))
    try writeWeights(of: model, to: folder.file("m.weights"))
    let differences = try model.differences(from: Model(contentsOf: folder.file("m.cfg")))
    #expect(
      differences.comparedNumbers == model.content.graph.weights.reduce(0) { $0 + $1.tensor.count })
    return differences.items.filter(\.counts).map(\.reason)
  }

  @Test("Given the same numbers, the epsilons are all that differs")
  func epsilons() throws {
    let folder = try TemporaryFolder()
    try Model(contentsOf: detector).export(to: folder.file("m.cfg"))
    let reasons = try differences(detector, Files.read(folder.file("m.cfg")))
    #expect(reasons.count == 6, "\(reasons)")
    #expect(reasons.allSatisfy { $0.hasPrefix("epsilon is 0.001") })
  }

  @Test(
    "Tiny YOLO by Keras and tiny-yolo-voc.cfg differ in their epsilons and the region only",
    .enabled(if: Fixtures.areAvailable, "\(Fixtures.skipReason)"))
  func tinyYOLO() throws {
    let reasons = try differences(
      Fixtures.file("keras/seeds/tinyyolo/tinyyolo_voc2007_modelweights.h5"),
      Files.read(Fixtures.file("darknet/cfg/AlexeyAB/tiny-yolo-voc.cfg")))
    #expect(reasons.count { $0.hasPrefix("epsilon is 0.001") } == 8)
    let others = reasons.filter { !$0.hasPrefix("epsilon is 0.001") }
    #expect(others.count { $0.hasSuffix("is only in the second") } == 9, "\(others)")
    #expect(others.count { $0.hasPrefix("the output conv2d_9") } == 1, "\(others)")
    #expect(others.count == 10)
  }

  @Test(
    "With variances that make up for the epsilons, the outputs before the region agree",
    .enabled(if: Fixtures.areAvailable, "\(Fixtures.skipReason)"))
  func outputs() throws {
    let folder = try TemporaryFolder()
    let seed = Fixtures.file("keras/seeds/tinyyolo")
    let source = "\(seed)/tinyyolo_voc2007_modelweights.h5"
    try Model(contentsOf: source).export(to: folder.file("m.cfg"))
    // The shipped network with the exported numbers.
    try Files.write(
      Files.read(Fixtures.file("darknet/cfg/AlexeyAB/tiny-yolo-voc.cfg")), to: folder.file("m.cfg"))
    let input = try ArrayFile.read("\(seed)/input.npy")[0].tensor
    let transposed = NamedTensor(name: "data", tensor: input.permuted([0, 3, 1, 2]))
    let result = try Model(contentsOf: folder.file("m.cfg")).run([transposed], keepsLayers: true)
    let actual = try #require(result.layers.first { $0.name == "14_convolutional" }).tensor
    let expected = try ArrayFile.read("\(seed)/outputs.npz")[0].tensor
    #expect(Distance(actual: actual, expected: expected.permuted([0, 3, 1, 2])).error <= 1e-5)
  }
}
