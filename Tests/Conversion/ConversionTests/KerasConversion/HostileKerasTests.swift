import TestSupport
import Testing
import Weighbridge

/// Files that Keras would not write, or that cannot be converted.
@Suite struct HostileKerasTests {
  static let refused =
    HostileKerasFiles.containers + HostileKerasFiles.graphs + HostileKerasFiles.settings

  private func path(_ name: String) -> String { Paths.sample("Hostile/keras/\(name).h5") }

  @Test("A hostile file is refused with its place and the reason", arguments: refused)
  func refusal(_ file: HostileFile) throws {
    let error = try #require(failure { _ = try Model(contentsOf: path(file.name)) })
    #expect(file.explains(error), "\(error)")
    #expect(error.place.file == path(file.name))
  }

  @Test("Every hostile file is listed here with its error")
  func complete() {
    let names = Self.refused.map(\.name) + HostileKerasFiles.harmless
    let files = Files.names(in: Paths.sample("Hostile/keras")).filter { $0.hasSuffix(".h5") }
    #expect(Set(names.map { "\($0).h5" }) == Set(files))
    #expect(names.count == files.count)
  }

  @Test("A file that only looks like an attack is converted", arguments: HostileKerasFiles.harmless)
  func harmless(name: String) throws {
    let folder = try TemporaryFolder()
    let model = try Model(contentsOf: path(name))
    let warnings = try model.write(to: folder.file("model.wbm"))
    #expect(warnings.map(\.nonFiniteCount) == (name == "nan_weights" ? [3] : []))
    let report = try Model(contentsOf: folder.file("model.wbm")).verify()
    #expect(report.passed == (name != "nan_weights"))
  }

  @Test("An input that no output depends on is named")
  func unreadInput() throws {
    let decisions = try Model(contentsOf: path("input_unread")).provenance.decisions
    #expect(decisions.map(\.text) == ["No output of the model depends on this input."])
    #expect(decisions.map(\.layer) == ["z"])
  }

  /// The dense layers of `weights_only.h5` with another layer between them.
  private func read(_ className: String, settings: String) throws -> Model {
    let folder = try TemporaryFolder()
    let layers = CustomArchitecture.dense(between: [(className, "y")], settings: settings)
    try Files.write(CustomArchitecture.json(layers).utf8, to: folder.file("net.json"))
    var options = ReadOptions()
    options.architecture = folder.file("net.json")
    return try Model(contentsOf: path("weights_only"), options: options)
  }

  @Test(
    "A layer whose input has the wrong number of axes is refused with its name",
    arguments: [
      ("Cropping2D", "takes 2 spatial axes, not float32 [batch, 3]"),
      ("UpSampling1D", "takes 1 spatial axis, not float32 [batch, 3]"),
      ("GlobalMaxPooling3D", "takes 3 spatial axes, not float32 [batch, 3]"),
    ])
  func wrongRank(className: String, reason: String) throws {
    let error = try #require(failure { _ = try read(className, settings: "") })
    #expect(error.code == .malformed, "\(error)")
    #expect(error.description.contains("#2 y (\(className)): \(reason)"), "\(error)")
  }

  @Test("A setting without effect on inference may have any value, even NaN")
  func harmlessSettings() throws {
    let settings = #"""
      "activation": "tanh", "trainable": false, "batch_input_shape": [null, 3],
      "kernel_initializer": {"class_name": "Odd", "config": {"value": NaN, "bound": -Infinity}},
      "activity_regularizer": {"l2": Infinity}, "gamma_constraint": "odd"
      """#
    let model = try read("Activation", settings: settings)
    #expect(model.content.graph.nodes.map(\.operation.kind) == ["dense", "tanh", "dense"])
    let error = failure { _ = try read("Activation", settings: settings + #", "odd": 1"#) }
    #expect(error?.reason == "has the unknown setting odd=1")
  }

  @Test("A chain of 20,000 layers is read, written and run without recursion")
  func longChain() throws {
    let folder = try TemporaryFolder()
    try Files.write(ChainArchitecture.json(layers: 20_000).utf8, to: folder.file("chain.json"))
    var options = ReadOptions()
    options.architecture = folder.file("chain.json")
    let model = try Model(contentsOf: path("weights_only"), options: options)
    try model.write(to: folder.file("chain.wbm"))
    let input = NamedTensor(name: "x", tensor: Tensor(.float32, shape: [1, 4], [1, 2, 3, 4]))
    let outputs = try Model(contentsOf: folder.file("chain.wbm")).run([input]).outputs
    #expect(outputs.map(\.tensor.shape) == [[1, 2]])
  }
}
