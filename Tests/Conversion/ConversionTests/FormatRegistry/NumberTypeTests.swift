import TestSupport
import Testing
import Weighbridge

/// Models that compute in other types than float32, or in several types.
@Suite struct NumberTypeTests {
  /// A model of `Samples/Models/number-types`, by one version of Keras.
  struct Sample: CustomTestStringConvertible, Sendable {
    let file: String

    var testDescription: String { file }
    var path: String { Self.path(file) }
    /// `case` and `k2` or `k3`.
    private var parts: [Substring] { file.split(separator: ".") }
    var inputs: String { Self.path("\(parts[0]).inputs.npz") }
    var outputs: String { Self.path("\(parts[0]).\(parts[1]).outputs.npz") }

    static func path(_ name: String) -> String { Paths.sample("Models/number-types/\(name)") }

    static let all = Files.names(in: path("")).filter {
      $0.hasSuffix(".h5") || $0.hasSuffix(".keras")
    }.map { Sample(file: $0) }
  }

  @Test("There are at least 16 samples")
  func count() { #expect(Sample.all.count >= 16) }

  @Test("A model computes what Keras computed, as far as its types allow", arguments: Sample.all)
  func sample(_ sample: Sample) throws {
    let (inputs, expected) = (
      try ArrayFile.read(sample.inputs), try ArrayFile.read(sample.outputs)
    )
    let model = try Model(contentsOf: sample.path)
    let outputs = try model.run(inputs).outputs
    let limit = sample.limit
    for distance in distances(actual: outputs, expected: expected) {
      #expect(distance.error <= limit, "\(distance)")
    }

    let folder = try TemporaryFolder()
    try model.write(to: folder.file("model.wbm"))
    let stored = try Model(contentsOf: folder.file("model.wbm"))
    let again = try stored.run(inputs).outputs
    #expect(
      again.map { $0.tensor.contiguousBytes() } == outputs.map { $0.tensor.contiguousBytes() })
    var options = VerifyOptions()
    options.against = sample.path
    options.references = (inputs: inputs, outputs: expected)
    let report = try stored.verify(options)
    #expect(report.passed, "\(report.results)")
  }

  @Test("Weights stay in the types that the file has them in")
  func weights() throws {
    let types = { (name: String) in
      Set(
        try Model(contentsOf: Sample.path(name)).content.graph.weights.map(\.tensor.elementType))
    }
    #expect(try types("mixed_float16_cnn.k2.h5") == [.float32])
    #expect(try types("bfloat16_dense.k2.h5") == [.bfloat16])
    #expect(try types("bfloat16_dense.k3.keras") == [.bfloat16])
    // Keras 2 keeps those of the batch normalization in float32.
    #expect(try types("float16_cnn.k2.h5") == [.float16, .float32])
    #expect(try types("float16_cnn.k3.keras") == [.float16])
  }

  @Test("An output has the type that its layer computes in")
  func outputTypes() throws {
    let types = { (name: String) in
      try Model(contentsOf: Sample.path(name)).outputs.map(\.type.elementType)
    }
    #expect(try types("mixed_float16_cnn.k3.keras") == [.float32])
    #expect(try types("mixed_float16_embedding.k2.h5") == [.float16])
    #expect(try types("several_types.k2.h5") == [.float32, .float16])
    #expect(
      try Model(contentsOf: Sample.path("uint8_picture.k2.h5")).inputs[0].type.elementType == .uint8
    )
  }
}

extension NumberTypeTests.Sample {
  /// The error that the least precise type of the model allows.
  fileprivate var limit: Double {
    if file.contains("bfloat16") || file.hasPrefix("several") { return 8e-3 }
    return file.contains("float16") ? 2e-3 : 1e-5
  }
}
