import Bytes
import GraphIR
import LayerCatalog
import ReferenceRuntime
import TestSupport
import Testing
import Verifier
import Weighbridge

/// Networks that amplify rounding, recorded by Keras in float32, and their outputs in float64.
@Suite struct RoundingTests {
  private func array(_ name: String) throws -> Tensor {
    try #require(try ArrayFile.read(Paths.sample("Models/rounding/\(name).npy")).first).tensor
  }

  /// A model with Keras' output for its input, for example `chaotic_lstm.k2.h5`.
  private func model(_ file: String) throws -> Model {
    let parts = file.split(separator: ".")
    var model = try Model(contentsOf: Paths.sample("Models/rounding/\(file)"))
    try model.addReferences(
      inputs: [NamedTensor(name: "", tensor: try array("\(parts[0]).inputs"))],
      outputs: [NamedTensor(name: "", tensor: try array("\(parts[0]).\(parts[1]).outputs"))],
      author: "keras")
    return model
  }

  /// Verifies a model with the reference engine, which rounds in the same way on every processor.
  private func verify(_ file: String) throws -> VerificationReport {
    var options = VerifyOptions()
    options.run.engine = .reference
    return try model(file).verify(options)
  }

  private func result(_ name: String, of report: VerificationReport) throws -> CheckResult {
    try #require(report.results.first { $0.name == name })
  }

  @Test(
    "A sound model that amplifies rounding passes, and the result states the amplification",
    arguments: ["chaotic_lstm.k2.h5", "chaotic_lstm.k3.keras", "deep_tanh.k3.keras"])
  func passes(file: String) throws {
    let report = try verify(file)
    let references = try result("references", of: report)
    #expect(references.status == .passed)
    #expect(references.reason.contains("this model amplifies rounding by "))
    #expect(references.reason.contains(", which explains as much as "))
    #expect(try #require(references.difference).error > 2e-5, "the sample is benign")
    #expect(report.passed)
  }

  @Test(
    "The reference engine is nearer to float64 than Keras in float32",
    arguments: ["chaotic_lstm.k2.h5", "chaotic_lstm.k3.keras", "deep_tanh.k3.keras"])
  func exactness(file: String) throws {
    let model = try model(file)
    let reference = try #require(model.content.references.first)
    var options = RunOptions()
    options.engine = .reference
    let inputs = reference.inputs.map { NamedTensor(name: $0.name, tensor: $0.tensor) }
    let actual = try model.run(inputs, options: options).outputs[0].tensor
    let expected = try array("\(file.prefix { $0 != "." }).float64")
    let distance = Distance(actual: actual, expected: expected)
    #expect(distance < Distance(actual: reference.outputs[0].tensor, expected: expected))
  }

  @Test("The amplification has two digits: 1,400 for a chaotic LSTM")
  func figure() throws {
    let references = try result("references", of: try verify("chaotic_lstm.k3.keras"))
    #expect(references.reason.contains("this model amplifies rounding by 1,400, which"))
  }

  @Test(
    "A wrong weight fails in a model that amplifies rounding too",
    arguments: [
      ("chaotic_lstm.k2.h5", "lstm/recurrent_kernel"), ("chaotic_lstm.k3.keras", "lstm/kernel"),
      ("deep_tanh.k3.keras", "dense_0/kernel"), ("deep_tanh.k3.keras", "last/kernel"),
    ])
  func wrongWeight(file: String, weight: String) throws {
    let content = try model(file).content.changingWeight(weight) { $0[3] *= 1.02 }
    let runtime = ShapeDetector.runtime
    let check = ReferencesCheck(runtime: runtime, referenceRuntime: runtime)
    let results = try check.run(VerificationSubject(content: content))
    #expect(results.map(\.status) == [.failed])
    #expect(results[0].reason.contains("this model amplifies rounding by "))
    #expect(results[0].reason.contains(", which explains no more than "))
  }

  @Test("A tolerance that was asked for is kept, whatever rounding explains")
  func ownTolerance() throws {
    var options = VerifyOptions()
    options.tolerance = Tolerance(absolute: 1e-6, relative: 0)
    let references = try result(
      "references", of: try model("chaotic_lstm.k3.keras").verify(options))
    #expect(references.status == .failed && !references.reason.contains("amplifies"))
  }

  @Test("If float32 has no right digit, verify warns and compares with smaller weights")
  func hopeless() throws {
    let report = try model("wild_lstm.k3.keras").verify()
    let (references, engines) = (
      try result("references", of: report), try result("engines", of: report)
    )
    #expect(references.status == .warning && engines.status == .warning && report.passed)
    #expect(references.reason.contains("is not conclusive"))
    #expect(engines.reason.contains("this layer amplifies rounding by "))
    #expect(engines.reason.contains("; with its weights times 0.25 both agree: max abs "))
  }

  /// The result of the engines check for an engine that changes the results of one node.
  private func check(
    _ file: String, position: Int, _ change: @escaping @Sendable (Double) -> Double
  ) throws -> CheckResult {
    let engine = ChangedRuntime(position: position) { _, number in change(number) }
    let check = EnginesCheck(
      engine: engine, reference: ShapeDetector.runtime, tolerances: { _ in nil },
      operationCount: { $0.operationCount($1) })
    return try #require(
      try check.run(VerificationSubject(content: try model(file).content)).first)
  }

  @Test(
    "An engine whose kernel is off by a hundredth fails, however much the model amplifies rounding",
    arguments: ["chaotic_lstm.k3.keras", "wild_lstm.k3.keras", "deep_tanh.k3.keras"])
  func wrongKernel(file: String) throws {
    for position in 0..<2 {
      let result = try check(file, position: position) { $0 * 1.01 }
      #expect(result.status == .failed, "\(position): \(result.reason)")
    }
    #expect(try check(file, position: 0) { $0 }.status == .passed)
  }

  @Test("A layer in which float32 has no digit right fails when it is wrong with smaller weights")
  func wrongWildKernel() throws {
    let result = try check("wild_lstm.k3.keras", position: 0) { -$0 }
    #expect(result.status == .failed)
  }

  @Test("In a benign model a hundredth is more than rounding explains")
  func benign() throws {
    var content = try ShapeDetector.content()
    let tensor = content.references[0].outputs[0].tensor
    content.references[0].outputs[0].tensor = tensor.changing { $0[5] += 0.01 }
    let runtime = ShapeDetector.runtime
    let check = ReferencesCheck(runtime: runtime, referenceRuntime: runtime)
    let result = try #require(try check.run(VerificationSubject(content: content)).first)
    #expect(result.status == .failed)
    #expect(result.reason.contains(", which explains no more than "))
  }
}
