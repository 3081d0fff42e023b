import ConversionCore
import Foundation
import GraphIR
import TFLiteConversion
import TestSupport
import Testing
import Weighbridge

/// A network of `Samples/TFLite` with what its own version of TensorFlow computed.
struct TFLiteSample: CustomStringConvertible, Sendable {
  /// The version of TensorFlow and the network's name: `2.15/gru`.
  let description: String

  static let versions = ["1.15", "2.3", "2.15", "2.21"]

  /// Outputs in which an interpreter differs from those of other versions: that of 1.15 does not
  /// align corners of nearest neighbors, and reference kernels normalize over one channel less.
  private static let ownWays = [
    "1.15/resizing": "lambda_3/ResizeNearestNeighbor", "2.15/blocks": "lambda_2",
  ]

  static let all = versions.flatMap { version in
    Files.names(in: Paths.sample("TFLite/\(version)")).filter { $0.hasSuffix(".tflite") }
      .map { TFLiteSample(description: "\(version)/\($0.dropLast(7))") }
  }

  var path: String { Paths.sample("TFLite/\(description).tflite") }
  private var name: Substring { description.split(separator: "/")[1] }

  func arrays(_ kind: String) throws -> [NamedTensor] {
    try ArrayFile.read(Paths.sample("TFLite/\(description).\(kind).npz"))
  }

  /// The error that a floating-point output may have. The interpreter rounds the inputs of layers
  /// with weights of 8 bits when it runs; the numbers in between are not rounded here. The outputs of
  /// a network of integers are multiples of 1/256.
  var tolerance: Double {
    name.hasPrefix("dynamic") ? 0.02 : name.hasPrefix("int") ? 1 / 256 + 1e-6 : 1e-5
  }

  /// Expects the outputs that were recorded: integers within one unit.
  func expect(_ outputs: [NamedTensor]) throws {
    let expected = try arrays("outputs")
    #expect(Set(outputs.map(\.name)) == Set(expected.map(\.name)))
    #expect(!expected.isEmpty)
    for (name, tensor) in expected.map({ ($0.name, $0.tensor) })
    where name != Self.ownWays[description] {
      let actual = try #require(outputs[name])
      #expect(actual.shape == tensor.shape && actual.elementType == tensor.elementType, "\(name)")
      guard actual.shape == tensor.shape else { continue }
      if tensor.elementType.isFloat {
        let distance = Distance(actual: actual, expected: tensor)
        #expect(distance.error <= tolerance, "\(name): \(distance)")
      } else {
        let units = zip(actual.doubles, tensor.doubles).map { abs($0 - $1) }.max() ?? 0
        #expect(units <= 1, "\(name): \(units) units")
      }
    }
  }
}

/// TFLite files of TensorFlow's converters.
@Suite struct TFLiteImportTests {
  @Test("There are 60 networks of four versions")
  func count() {
    #expect(TFLiteSample.all.count >= 60)
    for version in TFLiteSample.versions {
      #expect(TFLiteSample.all.contains { $0.description.hasPrefix(version) })
    }
  }

  @Test("A network computes what its own interpreter computed", arguments: TFLiteSample.all)
  func outputs(_ sample: TFLiteSample) throws {
    let model = try Model(contentsOf: sample.path)
    try sample.expect(try model.run(sample.arrays("inputs")).outputs)
  }

  @Test("What the interpreter computed, .wbm computes too", arguments: TFLiteSample.all)
  func converted(_ sample: TFLiteSample) throws {
    let folder = try TemporaryFolder()
    try Model(contentsOf: sample.path).write(to: folder.file("m.wbm"))
    let stored = try Model(contentsOf: folder.file("m.wbm"))
    var options = VerifyOptions()
    options.against = sample.path
    #expect(try stored.verify(options).passed)
    try sample.expect(try stored.run(sample.arrays("inputs")).outputs)
  }

  @Test("Inputs and outputs have the names of the signature")
  func names() throws {
    let model = try Model(contentsOf: Paths.sample("TFLite/2.15/arithmetic.tflite"))
    #expect(model.inputs.map(\.name) == ["input_1", "input_2"])
    #expect(model.provenance.framework == "tflite")
  }

  @Test("Weights of 16 bits stay stored in 16 bits")
  func halves() throws {
    let model = try Model(contentsOf: Paths.sample("TFLite/2.15/half_classifier.tflite"))
    let kernels = model.content.graph.weights.filter { $0.tensor.shape.count == 4 }
    #expect(!kernels.isEmpty)
    #expect(kernels.allSatisfy { $0.tensor.storedHalfType == .float16 })
  }

  @Test("Weights of 8 bits keep the integers of the file")
  func integers() throws {
    let model = try Model(contentsOf: Paths.sample("TFLite/2.15/int8_classifier.tflite"))
    let kernels = model.content.graph.weights.filter {
      $0.tensor.shape.count == 4 && $0.tensor.count > 1
    }
    #expect(kernels.count == 2)
    for kernel in kernels {
      let quantized = try #require(kernel.tensor.quantized, "\(kernel.name)")
      #expect(quantized.integers.elementType == .int8)
    }
  }

  @Test("The article names the operators that are read")
  func article() throws {
    let path = "\(Paths.project)/Sources/Product/Weighbridge/Weighbridge.docc/ReadingTFLite.md"
    let text = String(decoding: try Files.read(path), as: UTF8.self)
    let list = text.split(separator: "### Operators")[1]
    let names = list.split(separator: "`").filter {
      $0.allSatisfy { !$0.isWhitespace && $0 != "," }
    }
    #expect(names.map(String.init) == TFLiteOperators.readableNames)
  }

  @Test("Metadata, an image's normalization and labels behind the model are read")
  func metadata() throws {
    let model = try Model(contentsOf: Paths.sample("TFLite/described.tflite"))
    let description = model.metadata
    #expect(description.name == "Animals" && description.author == "Weighbridge")
    #expect(description.summary == "Tells animals apart" && description.version == "v1")
    #expect(description.license?.text == "Apache-2.0")
    #expect(description.labels == ["cat", "dog", "fox"])
    let image = try #require(description.inputs[0].image)
    #expect(image.colorOrder == .rgb && image.layout == .channelsLast)
    #expect(image.scale == 1 / 127.5 && image.bias == [-1, -1, -1])
    #expect(description.inputs[0].summary == "A picture")
  }
}
