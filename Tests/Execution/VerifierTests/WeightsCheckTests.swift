import Bytes
import GraphIR
import LayerCatalog
import TestSupport
import Testing
import Verifier
import Weighbridge

@Suite struct WeightsCheckTests {
  private func results(_ content: ModelContent) throws -> [CheckResult] {
    try WeightsCheck().run(VerificationSubject(content: content))
  }

  @Test("Trained weights pass, and the result states their number")
  func trained() throws {
    let results = try results(try ShapeDetector.content())
    #expect(results.map(\.status) == [.passed])
    #expect(results[0].reason == "78304 parameters, all of them finite")
  }

  @Test("NaN and infinite weights fail, with the count and the layer")
  func notFinite() throws {
    let content = try ShapeDetector.content().changingWeight("conv2d_2/kernel") {
      $0[0] = .nan
      $0[5] = .infinity
      $0[7] = -.infinity
    }
    let results = try results(content)
    #expect(results.map(\.status) == [.failed])
    #expect(results[0].reason == "conv2d_2/kernel: 3 of 720 elements are NaN or infinite")
    #expect(results[0].layer?.contains("conv2d_2 (Conv2D)") == true)
  }

  @Test("An infinity in an untrained constant is a warning; a NaN fails")
  func infiniteMask() throws {
    func results(_ number: Double) throws -> [CheckResult] {
      var builder = GraphBuilder()
      let type = TensorType(.float32, [2, 3])
      let scores = try builder.addInput("scores", type)
      let numbers = Tensor(.float32, shape: [2, 3], [0, 0, number, 0, 0, 0])
      let mask = try builder.addWeight("mask", numbers)
      let sum = try builder.addNode(
        Add(), named: "masked", inputs: [scores, mask],
        source: SourceScope(layer: "masked", className: "Add"))
      let graph = try builder.finish(outputs: [Port(name: "output", value: sum[0])])
      var content = try ShapeDetector.content()
      content.graph = graph
      return try self.results(content)
    }
    let infinite = try results(-.infinity)
    #expect(infinite.map(\.status) == [.warning, .passed])
    #expect(infinite[0].reason == "mask: 1 of 6 elements are NaN or infinite")
    #expect(infinite[1].reason == "6 parameters, all weights finite")
    #expect(try results(.nan).map(\.status) == [.failed])
  }

  @Test(
    "A constant that is only chosen may be NaN; one that is added, too, may not",
    arguments: [false, true])
  func choices(isAdded: Bool) throws {
    var builder = GraphBuilder()
    let source = SourceScope(layer: "median", className: "Median")
    let condition = try builder.addInput("condition", TensorType(.bool, [2, 3]))
    let value = try builder.addInput("value", TensorType(.float32, [2, 3]))
    let number = try builder.addConstant(Tensor(.float32, shape: [1, 1], [.nan]), named: "nan")
    var output = try builder.addNode(Where(), inputs: [condition, number, value], source: source)[0]
    if isAdded { output = try builder.addNode(Add(), inputs: [output, number], source: source)[0] }
    var content = try ShapeDetector.content()
    content.graph = try builder.finish(outputs: [Port(name: "output", value: output)])
    #expect(try results(content).map(\.status) == [isAdded ? .failed : .passed])
  }

  @Test("Negative variances fail; other negative weights do not")
  func negativeVariance() throws {
    let content = try ShapeDetector.content()
      .changingWeight("batch_normalization_3/variance") { $0[0...1] = [-1e-9, -3] }
      .changingWeight("batch_normalization_3/mean") { $0[0] = -100 }
    let results = try results(content)
    #expect(results.map(\.status) == [.failed])
    #expect(results[0].reason == "batch_normalization_3/variance: 2 variances are negative")
  }

  @Test("A channel of zeros is a warning, and the verification passes")
  func deadChannel() throws {
    let content = try ShapeDetector.content().changingWeight("conv2d_3/kernel") {
      for index in 0..<90 * 2 { $0[index] = 0 }
    }
    let results = try results(content)
    #expect(results.map(\.status) == [.warning, .passed])
    #expect(results[0].reason == "conv2d_3/kernel: 2 of 20 output channels are all zero")
    #expect(VerificationReport(results: results).passed)
  }

  @Test("Every weight with a fault is named, not only the first")
  func several() throws {
    let content = try ShapeDetector.content()
      .changingWeight("conv2d_1/kernel") { $0[0] = .nan }
      .changingWeight("conv2d_7/bias") { $0[0] = .nan }
    #expect(try results(content).map(\.status) == [.failed, .failed])
  }
}
