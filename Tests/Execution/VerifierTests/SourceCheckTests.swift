import ConversionCore
import GraphIR
import LayerCatalog
import TestSupport
import Testing
import Verifier
import Weighbridge

@Suite struct SourceCheckTests {
  private func results(_ content: ModelContent) throws -> [CheckResult] {
    let source = try Model(contentsOf: ShapeDetector.source).content
    return try SourceCheck(source: source).run(VerificationSubject(content: content))
  }

  @Test("A model is equal to its source, whatever it is called")
  func equal() throws {
    let results = try results(try ShapeDetector.content())
    #expect(results.map(\.status) == [.passed])
    #expect(results[0].reason.hasPrefix("32 tensors are equal to the source's bit for bit"))
  }

  @Test("One changed bit of one weight fails, and the weight is named")
  func changedBit() throws {
    let content = try ShapeDetector.content().changingWeight("conv2d_4/kernel") { numbers in
      numbers[100] = Double(Float(numbers[100]).nextUp)
    }
    let results = try results(content)
    #expect(results.map(\.status) == [.failed])
    #expect(
      results[0].reason == "conv2d_4/kernel: 1 of 8640 elements differ from the source's")
  }

  @Test("Zero and minus zero are not the same bits")
  func minusZero() throws {
    let zero = try ShapeDetector.content().changingWeight("conv2d_7/bias") { $0[0] = 0 }
    let minus = try ShapeDetector.content().changingWeight("conv2d_7/bias") { $0[0] = -0.0 }
    let results = try SourceCheck(source: zero).run(VerificationSubject(content: minus))
    #expect(results.map(\.status) == [.failed])
  }

  @Test("Another model is not the source")
  func otherModel() throws {
    let other = try Model(
      contentsOf: Paths.sample("Models/sketch-classifier/sketch-classifier.h5"))
    let results = try results(other.content)
    #expect(!results.contains { $0.status == .passed })
    #expect(results.contains { $0.reason.contains("is missing") })
    #expect(results.contains { $0.reason.contains("nodes, and the source 23") })
    #expect(results.contains { $0.reason == "the inputs and outputs are not the source's" })
  }

  @Test("Renamed inputs and outputs are still the source's")
  func renamed() throws {
    var model = try Model(contentsOf: ShapeDetector.source)
    var edit = DescriptionEdit()
    edit.inputNames = [.init(old: nil, new: "image")]
    try model.describe(edit)
    #expect(try results(model.content).map(\.status) == [.passed])
  }
}
