import FormatRegistry
import TestSupport
import Testing
import Weighbridge

/// What a file of Keras 1 leaves open, and how it is decided.
@Suite struct Keras1Tests {
  private func path(_ name: String) -> String { Paths.sample("Keras/1.2.2-\(name)") }

  /// Reads weights with an architecture that was changed.
  private func model(
    _ name: String, version: String? = nil, replacing part: String, by replacement: String
  ) throws -> Model {
    let folder = try TemporaryFolder()
    let text = String(decoding: try Files.read(path("tensorflow/\(name).json")), as: UTF8.self)
    #expect(text.contains(part))
    try Files.write(
      text.replacing(part, with: replacement).utf8, to: folder.file("architecture.json"))
    var options = ReadOptions()
    options.architecture = folder.file("architecture.json")
    options.kerasVersion = version
    return try Model(contentsOf: path("tensorflow/\(name).h5"), options: options)
  }

  private func decisions(_ model: Model) -> [String] {
    model.content.provenance.decisions.map(\.text)
  }

  @Test("A missing version is inferred from the settings")
  func unnamedVersion() throws {
    let model = try model(
      "weights_dense", replacing: "\"keras_version\": \"1.2.2\"", by: "\"backend\": \"tensorflow\"")
    #expect(decisions(model).contains { $0.contains("read as Keras 1.0.0") })
  }

  @Test("A batch normalization in a file without a version is refused unless the version is given")
  func unnamedDeviation() throws {
    let (part, other) = ("\"keras_version\": \"1.2.2\"", "\"backend\": \"tensorflow\"")
    let error = try #require(
      failure { _ = try model("weights_bn", replacing: part, by: other) })
    #expect(error.code == .unsupported)
    #expect(error.description.contains("`ReadOptions.kerasVersion`"))
    let old = try model("weights_bn", version: "1.0.5", replacing: part, by: other)
    #expect(decisions(old).contains { $0.contains("standard deviation") })
    _ = try model("weights_bn", version: "1.2.2", replacing: part, by: other)
  }

  @Test("The backend is inferred from the weights' names")
  func backend() throws {
    for backend in ["tensorflow", "theano"] {
      let model = try Model(contentsOf: path("\(backend)/conv1d_valid_relu.h5"))
      #expect(decisions(model).contains { $0.contains("assumed to be \(backend)") })
    }
  }

  @Test("Layers that leave out their dim_ordering take that of the others")
  func ordering() throws {
    let model = try Model(contentsOf: path("tensorflow/without_ordering_th.h5"))
    let found = decisions(model).filter { $0.contains("read as th, which the model's other") }
    #expect(found.count == 2)
  }

  @Test("A Merge with a function is refused")
  func mergeFunction() throws {
    let error = try #require(
      failure {
        _ = try model(
          "weights_dense", replacing: "\"class_name\": \"Dense\"", by: "\"class_name\": \"Merge\"")
      })
    #expect(error.code == .unsupported)
    #expect(error.description.contains("a function of the user's own"))
  }
}
