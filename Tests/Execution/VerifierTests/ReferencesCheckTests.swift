import GraphIR
import TestSupport
import Testing
import Verifier
import Weighbridge

@Suite struct ReferencesCheckTests {
  private func results(
    _ content: ModelContent, layers: Bool = false, tolerance: Tolerance? = nil
  ) throws -> [CheckResult] {
    let check = ReferencesCheck(
      runtime: ShapeDetector.runtime, referenceRuntime: ShapeDetector.runtime, tolerance: tolerance,
      checksLayers: layers)
    return try check.run(VerificationSubject(content: content))
  }

  /// The detector with one element of its reference output changed.
  private func content(
    _ index: Int, _ change: (Double) -> Double
  ) throws -> ModelContent {
    var content = try ShapeDetector.content()
    let tensor = content.references[0].outputs[0].tensor
    content.references[0].outputs[0].tensor = tensor.changing { $0[index] = change($0[index]) }
    return content
  }

  @Test("Keras' own outputs pass, and the result states the differences")
  func passes() throws {
    let results = try results(try ShapeDetector.content())
    #expect(results.map(\.status) == [.passed])
    let difference = try #require(results[0].difference)
    #expect(difference.error <= 1e-5 && difference.cosine > 0.999999)
    #expect(results[0].reason.hasPrefix("conv2d_7 against keras 2.1.5: max abs "))
    #expect(results[0].reason.contains("(tolerance 1.00e-05 + 1.00e-05 x max|expected|)"))
  }

  @Test("One wrong number fails, and the result names its position")
  func worstPlace() throws {
    // Row 5, column 7, channel 2 of [1, 11, 11, 24].
    let results = try results(try content((5 * 11 + 7) * 24 + 2) { $0 + 0.01 })
    #expect(results.map(\.status) == [.failed])
    let difference = try #require(results[0].difference)
    #expect(difference.worstIndex == [0, 5, 7, 2])
    #expect(abs(difference.maxAbsolute - 0.01) < 1e-4)
    #expect(results[0].reason.contains("worst at [0, 5, 7, 2]: "))
  }

  @Test("A wider tolerance lets the same number pass")
  func tolerance() throws {
    let content = try content(0) { $0 + 0.01 }
    let wide = Tolerance(absolute: 0.02, relative: 0)
    #expect(try results(content, tolerance: wide).map(\.status) == [.passed])
  }

  @Test("The tolerance of the author of a reference set is applied as it is")
  func storedTolerance() throws {
    var content = try content(0) { $0 + 0.01 }
    #expect(content.references[0].toleranceSource == .standard)
    content.references[0].tolerance = Tolerance(absolute: 0.02, relative: 0)
    content.references[0].toleranceSource = .author
    #expect(try results(content).map(\.status) == [.passed])
    content.references[0].tolerance = Tolerance(absolute: 0, relative: 0)
    let exact = try results(content)
    #expect(exact.map(\.status) == [.failed])
    #expect(!exact[0].reason.contains("amplifies rounding"))
  }

  @Test("A reference of an output or an input that the model does not have fails")
  func names() throws {
    var content = try ShapeDetector.content()
    content.references[0].outputs[0].name = "another"
    #expect(try results(content).map(\.reason) == ["the model has no output another"])
    content.references[0].inputs[0].name = "another"
    let error = failure { _ = try results(content) }
    #expect(error?.reason == "the references have no array for the input input_1")
  }

  @Test("A NaN that the model does not compute fails, however wide the tolerance")
  func nan() throws {
    let wide = Tolerance(absolute: 1e9, relative: 0)
    let results = try results(try content(24) { _ in .nan }, tolerance: wide)
    #expect(results.map(\.status) == [.failed])
    #expect(results[0].reason.contains("differs in NaN or infinity at 1 place"))
    #expect(results[0].reason.contains("the first at [0, 0, 1, 0]"))
  }

  @Test("A model without references says that there was nothing to compare")
  func nothing() throws {
    var content = try ShapeDetector.content()
    content.references = []
    #expect(try results(content).map(\.status) == [.skipped])
  }

  @Test("All layers that have references agree with them")
  func layersPass() throws {
    let results = try results(try ShapeDetector.content(), layers: true)
    #expect(results.map(\.name) == ["layers", "references"])
    #expect(results.map(\.status) == [.passed, .passed])
    #expect(results[0].reason == "all 22 layers agree with their references")
    #expect(results[0].parts.count == 22 && results[1].parts.isEmpty)
    #expect(results[0].parts.allSatisfy { $0.status == .passed && $0.difference != nil })
  }

  @Test("The first layer that diverges is named, whatever diverges behind it")
  func firstDivergence() throws {
    let content = try ShapeDetector.content().changingWeight("conv2d_3/kernel") { $0[17] += 0.5 }
    let results = try results(content, layers: true)
    #expect(results.map(\.status) == [.failed, .failed])
    #expect(results[0].layer == "#8 conv2d_3 (Conv2D)")
    #expect(results[0].reason.hasPrefix("is the first layer that diverges: max abs "))
    #expect(results[0].parts.firstIndex { $0.status == .failed } == 8)
    #expect(
      results[0].parts.allSatisfy {
        $0.reason.hasPrefix("max abs ") || $0.reason.hasPrefix("equal; ")
      })
  }

  @Test("A reference of a layer that the model does not have fails")
  func unknownLayer() throws {
    var content = try ShapeDetector.content()
    content.references[0].layers[0].name = "conv2d_99"
    let results = try results(content, layers: true)
    #expect(results[0].status == .failed)
    #expect(results[0].reason == "1 of 22 references belong to no layer")
  }

  @Test("A reference of another shape fails instead of being compared")
  func otherShape() throws {
    var content = try ShapeDetector.content()
    let tensor = content.references[0].outputs[0].tensor
    content.references[0].outputs[0].tensor = tensor.reshaped([1, 121, 24])
    content.references[0].layers[3].tensor = content.references[0].layers[3].tensor
      .reshaped([1, 1936, 8])
    let results = try results(content, layers: true)
    #expect(results.map(\.status) == [.failed, .failed])
    #expect(results[0].reason.contains("has the shape [1, 44, 44, 8]"))
    #expect(results[1].reason.contains("[1, 11, 11, 24], and the reference [1, 121, 24]"))
  }
}
