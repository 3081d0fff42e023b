import ModelComparison
import TestSupport
import Testing
import Weighbridge

/// Comparison of models in files.
@Suite struct FileComparisonTests {
  private let source = Paths.sample("Models/shape-detector/shape-detector.h5")

  @Test("A .wbm is the same as its source, with equal outputs")
  func converted() throws {
    let folder = try TemporaryFolder()
    let model = try Model(contentsOf: source)
    try model.write(to: folder.file("detector.wbm"))
    var options = ComparisonOptions()
    options.names = true
    options.inputs = try ArrayFile.read(Paths.sample("Models/shape-detector/input.npy"))
    let differences = try Model(contentsOf: folder.file("detector.wbm"))
      .differences(from: model, options)
    #expect(differences.isEmpty)
    #expect(
      differences.comparedNumbers == model.content.graph.weights.reduce(0) { $0 + $1.tensor.count })
    #expect(differences.items.map(\.kind) == [.output])
  }

  @Test(
    "Metadata count between two .wbm files, and are listed beside a file that has no place for them"
  )
  func metadata() throws {
    let folder = try TemporaryFolder()
    var model = try Model(contentsOf: source)
    try model.write(to: folder.file("plain.wbm"))
    var edit = DescriptionEdit()
    edit.author = "Ada"
    try model.describe(edit)
    try model.write(to: folder.file("signed.wbm"))
    let signed = try Model(contentsOf: folder.file("signed.wbm"))
    let plain = try signed.differences(from: Model(contentsOf: folder.file("plain.wbm")))
    #expect(!plain.isEmpty)
    #expect(plain.items.map(\.reason) == ["author: \"Ada\", and in the second nothing"])
    let original = try signed.differences(from: Model(contentsOf: source))
    #expect(original.isEmpty)
    #expect(original.items.map(\.kind) == [.metadata])
  }

  @Test(
    "Files of one network by Keras 2 and 3 are the same",
    .enabled(if: Fixtures.areAvailable, "\(Fixtures.skipReason)"),
    arguments: ["conv_bn_relu", "sequential_cnn", "nested_functional_in_seq", "elu_layer_alpha"])
  func versions(name: String) throws {
    let files = ["k2.h5", "k2.keras", "k3.h5", "k3.keras"].map {
      Fixtures.file("keras/zoo/\(name)/\($0)")
    }
    let first = try Model(contentsOf: files[0])
    for file in files.dropFirst() {
      let differences = try first.differences(from: Model(contentsOf: file))
      #expect(differences.isEmpty, "\(file): \(differences.items.map(\.reason))")
    }
  }
}
