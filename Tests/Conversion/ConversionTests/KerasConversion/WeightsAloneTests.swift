import GraphIR
import JSON
import TestSupport
import Testing
import Weighbridge

/// Files of weights with their architecture beside them, under a name that users give it.
@Suite struct WeightsAloneTests {
  private static func sample(_ writer: String, _ name: String) -> String {
    Paths.sample("WeightsAlone/\(writer)/\(name)")
  }
  private static let writers = [
    ("1.2.2", "net_weights.h5", "net_architecture.yaml"),
    ("2.0.8", "net_weights.h5", "net_architecture.yaml"),
    ("2.5.0", "net_weights.h5", "net_architecture.yaml"), ("2.15.0", "net_weights.h5", "net.json"),
    ("3.15.0", "net.weights.h5", "net.json"),
  ]
  private let json = sample("2.15.0", "net.json")
  private let weights = sample("2.15.0", "net_weights.h5")

  /// A folder with the weights and other files.
  private func folder(_ files: [String: [UInt8]]) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    try Files.write(Files.read(weights), to: folder.file("net_weights.h5"))
    for (name, bytes) in files { try Files.write(bytes, to: folder.file(name)) }
    return folder
  }

  private func decisions(_ model: Model) -> [String] {
    model.provenance.decisions.map(\.text).filter { $0.contains("is next to it") }
  }

  @Test("The architecture beside the weights is found, used and named", arguments: writers)
  func found(_ writer: String, _ file: String, _ architecture: String) throws {
    let model = try Model(contentsOf: Self.sample(writer, file))
    #expect(
      decisions(model) == [
        "The file holds weights only; \(architecture), which is next to it, is taken for its "
          + "architecture."
      ])
    let folder = try TemporaryFolder()
    try model.write(to: folder.file("m.wbm"))
    let written = try Model(contentsOf: folder.file("m.wbm")).provenance.sources
    #expect(written.map(\.role) == ["weights", "architecture"])
    #expect(written.map(\.fileName) == [file, architecture])
    let outputs = try model.run(ArrayFile.read(Self.sample(writer, "net.inputs.npz"))).outputs
    let expected = try ArrayFile.read(Self.sample(writer, "net.outputs.npz"))
    for distance in distances(actual: outputs, expected: expected) {
      #expect(distance.error < 1e-5)
    }
  }

  @Test("A given architecture takes precedence, without a note about the one beside the file")
  func named() throws {
    var options = ReadOptions()
    options.architecture = Self.sample("2.5.0", "net_architecture.yaml")
    #expect(decisions(try Model(contentsOf: weights, options: options)).isEmpty)
  }

  @Test(
    "Every name that users give is looked for",
    arguments: [
      "model.json", "net.json", "net_weights.json", "net_architecture.json", "net_arch.json",
      "config.json", "architecture.yaml", "net.yml",
    ])
  func names(_ name: String) throws {
    let folder = try folder([name: Array(Files.read(json))])
    #expect(decisions(try Model(contentsOf: folder.file("net_weights.h5"))).count == 1)
  }

  @Test("Equal architectures beside the weights are fine; different ones are listed in the error")
  func several() throws {
    let text = Array(try Files.read(json))
    let value = try JSONValue(parsing: text)
    let yaml = Array(value.text(indented: true).utf8)  // JSON in lines is YAML too
    let same = try folder(["model.json": text, "net.yaml": yaml])
    #expect(decisions(try Model(contentsOf: same.file("net_weights.h5"))).count == 1)

    let other = String(decoding: text, as: UTF8.self).replacing("\"softmax\"", with: "\"relu\"")
    let two = try folder(["model.json": text, "net.json": Array(other.utf8)])
    let error = failure { _ = try Model(contentsOf: two.file("net_weights.h5")) }
    #expect(error?.code == .missing)
    #expect(
      error?.reason == "holds weights only, and several architectures that they may belong to are "
        + "next to it: model.json, net.json; choose one with `ReadOptions.architecture`")
  }

  @Test("Files that are not the weights' architecture are skipped, and listed if none fits")
  func others() throws {
    let text = Array(try Files.read(json))
    let renamed = String(decoding: text, as: UTF8.self).replacing("\"classes\"", with: "\"last\"")
    let noise: [String: [UInt8]] = [
      "config.json": Array("{\"learning_rate\": 0.1}".utf8), "model.json": Array(renamed.utf8),
      "net.json": Array(text.prefix(100)), "model.yaml": Array("class_name: [".utf8),
    ]
    let alone = try folder(noise)
    let error = failure { _ = try Model(contentsOf: alone.file("net_weights.h5")) }
    #expect(error?.code == .missing)
    for part in [
      "holds weights only; give the architecture with `ReadOptions.architecture`",
      "config.json, which is next to it, is not the architecture: has \"learning_rate\"",
      "model.json, which is next to it, is not the architecture: has no layer classes, of which",
      "net.json, which is next to it, is not the architecture: not JSON",
      "model.yaml, which is next to it, is not the architecture: not YAML",
    ] { #expect(error?.reason.contains(part) == true, "\(error as Any)") }

    let with = try folder(noise.merging(["net_arch.json": text]) { first, _ in first })
    #expect(
      decisions(try Model(contentsOf: with.file("net_weights.h5")))[0].contains("net_arch.json"))
  }

  @Test("A found architecture that the weights do not fit is named in the error")
  func misfit() throws {
    let text = String(decoding: try Files.read(json), as: UTF8.self)
    let wide = Array(text.replacing("\"units\": 4", with: "\"units\": 5").utf8)
    let folder = try folder(["model.json": wide])
    let error = try #require(
      failure { _ = try Model(contentsOf: folder.file("net_weights.h5")) })
    #expect(error.reason.contains("has the shape [45, 4], and the layer takes [45, 5]"))
    #expect(
      error.reason.contains(
        "model.json, which was found beside the file; `ReadOptions.architecture`"))
  }
}
