import Foundation
import JSON
import TestSupport
import Testing
import Weighbridge

/// Comparisons with what both forks of darknet computed, layer by layer.
@Suite(.enabled(if: Fixtures.areAvailable, "\(Fixtures.skipReason)"))
struct DarknetFixtureTests {
  /// A recorded network in one fork.
  struct Case: CustomTestStringConvertible, Sendable {
    let name: String
    let fork: DarknetFork
    let outputs: String

    var testDescription: String { "\(name), \(fork.rawValue)" }
    var folder: String { Fixtures.file("darknet/small/\(name)") }
    /// Whether the weights fit the network.
    var weightsFit: Bool {
      !DarknetFixtureTests.commonMismatches.contains(name)
        && DarknetFixtureTests.mismatches[name] != fork
    }
  }

  /// References that are wrong, with the reasons.
  static let unreliable = [
    "activation_layer_hard_mish": "the function is missing outside of convolutions and makes 0",
    "activation_layer_relu6": "the function is missing on a processor and makes 0",
    "conv_dilation2_nopad": "beyond the buffer",
    "x_connected_swish": "the function is missing outside of convolutions and makes 0",
    "x_dontload": "random numbers", "x_dontloadscales": "random numbers",
    "x_shortcut_from_wider_input": "an image's size is taken from another layer",
    "x_shortcut_hard_mish": "the function is missing in shortcuts and makes 0",
  ]

  /// References whose weights do not fit: darknet computes with whatever is in memory.
  static let mismatches = [
    "hdr_0_1001_0_seen32_T": DarknetFork.alexeyab, "hdr_1000_0_0_seen32": .alexeyab,
    "hdr_1001_0_0_seen32_T": .alexeyab, "hdr_1000_0_0_seen64": .pjreddie,
    "hdr_1001_0_0_seen64_T": .pjreddie,
    "x_vector_plus_image": .pjreddie,  // this fork has as many hidden units as outputs
  ]
  static let commonMismatches = [
    "hdr_0_2_0_seen32", "header_only", "trunc_half", "trunc_last4", "trunc_mid_conv",
  ]

  static let cases: [Case] = Fixtures.folders(in: "darknet/small").flatMap { name -> [Case] in
    let names = Files.names(in: Fixtures.file("darknet/small/\(name)"))
    guard names.contains("meta.json"), unreliable[name] == nil else { return [] }
    var cases: [Case] = []
    let hasOther = names.contains("outputs_pjreddie.npz")
    let text = try? Files.read(Fixtures.file("darknet/small/\(name)/meta.json"))
    let isOther = text.map { String(decoding: $0, as: UTF8.self).contains("\"pj\"") } ?? false
    if hasOther { cases.append(Case(name: name, fork: .pjreddie, outputs: "outputs_pjreddie")) }
    if !isOther || !hasOther {
      cases.append(Case(name: name, fork: isOther ? .pjreddie : .alexeyab, outputs: "outputs"))
    }
    return cases
  }

  /// Sections whose settings are not in the model, so that they cannot be written again.
  static let notWritten = [
    "conv_xnor": "binarized", "region_tree": "a tree", "x_xnor_64": "binarized",
    "x_xnor_c16": "binarized",
  ]

  @Test(
    "An exported network reads back as the same network with equal weights",
    arguments: cases.filter(\.weightsFit))
  func export(_ recorded: Case) throws {
    let folder = try TemporaryFolder()
    let model = try Model(
      contentsOf: "\(recorded.folder)/case.cfg", options: options(recorded.fork))
    if let reason = Self.notWritten[recorded.name] {
      let error = failure { try model.export(to: folder.file("m.cfg")) }
      #expect(error?.code == .unsupported)
      #expect(error?.reason.contains(reason) == true, "\(String(describing: error))")
      #expect(folder.names.isEmpty)
      return
    }
    try model.export(to: folder.file("m.cfg"))
    let copy = try Model(contentsOf: folder.file("m.cfg"), options: options(recorded.fork))
    let differences = try model.differences(from: copy)
    #expect(!differences.items.contains { $0.counts }, "\(differences.items)")
  }

  private func options(_ fork: DarknetFork) -> ReadOptions {
    var options = ReadOptions()
    options.darknet = fork
    return options
  }

  @Test("There are at least 240 recorded networks, and all exceptions are among the recordings")
  func count() {
    #expect(Self.cases.count >= 240)
    let names = Set(Self.cases.map(\.name))
    #expect(Set(Self.notWritten.keys).isSubset(of: names))
    #expect(Set(Self.notANumber.keys).isSubset(of: names))
    #expect(Set(Self.mismatches.keys).isSubset(of: names))
    #expect(Set(Self.commonMismatches).isSubset(of: names))
    #expect(Set(Self.unreliable.keys).isSubset(of: Fixtures.folders(in: "darknet/small")))
  }

  /// References that are NaN: this fork's softmax of a tree reads other memory there.
  private static let notANumber = ["region_tree": DarknetFork.pjreddie]

  @Test(
    "Every layer computes what darknet computed, or the weights are refused",
    arguments: cases.filter { notANumber[$0.name] != $0.fork })
  func layers(_ recorded: Case) throws {
    let path = "\(recorded.folder)/case.cfg"
    guard recorded.weightsFit else {
      let error = failure { _ = try Model(contentsOf: path, options: options(recorded.fork)) }
      #expect(error?.reason.contains("Likely cause") == true, "\(String(describing: error))")
      return
    }
    let model = try Model(contentsOf: path, options: options(recorded.fork))
    let inputs = try ArrayFile.read("\(recorded.folder)/inputs.npz")
    let actual = try model.run(inputs, keepsLayers: true).layers
    let noise = try noise(recorded)
    for expected in try ArrayFile.read("\(recorded.folder)/\(recorded.outputs).npz") {
      let index = String(expected.name.prefix { $0 != "_" })
      let layer = try #require(
        actual.first { $0.name.hasPrefix("\(index)_") }, "\(expected.name)")
      let distance = Distance(actual: layer.tensor, expected: expected.tensor)
      let bound = max(1e-5 * max(1, distance.largest), 4 * (noise[index] ?? 0))
      #expect(distance.absolute <= bound, "\(expected.name): \(distance)")
    }
  }

  @Test(
    "Two images in one batch give the same outputs as separate runs",
    arguments: cases.filter(\.weightsFit))
  func batches(_ recorded: Case) throws {
    let model = try Model(
      contentsOf: "\(recorded.folder)/case.cfg", options: options(recorded.fork))
    let recordedInput = try #require(try ArrayFile.read("\(recorded.folder)/inputs.npz").first)
    let (one, shape) = (recordedInput.tensor.doubles, recordedInput.tensor.shape)
    let images = [one, one.map { 0.5 - $0 }]
    let separate = try images.map { try model.run([input(shape, $0)]).outputs }
    let batched = try model.run([input([2] + shape.dropFirst(), images[0] + images[1])]).outputs
    #expect(batched.count == separate[0].count && !batched.isEmpty)
    var comparedCount = 0
    for (position, output) in batched.enumerated() {
      let elements = output.tensor.doubles
      // An output that does not depend on the images, such as [implicit], exists once.
      guard model.outputs[position].type.shape[0].value == nil else { continue }
      comparedCount += 1
      for (image, expected) in separate.map({ $0[position].tensor }).enumerated() {
        let actual = Array(elements[image * expected.count..<(image + 1) * expected.count])
        let distance = Distance(
          actual: Tensor(.float32, shape: expected.shape, actual), expected: expected)
        #expect(distance.absolute <= 1e-5 * max(1, distance.largest), "\(output.name): \(distance)")
      }
    }
    #expect(comparedCount > 0 || recorded.name.hasPrefix("implicit"))
  }

  private func input(_ shape: [Int], _ elements: [Double]) -> NamedTensor {
    NamedTensor(name: "data", tensor: Tensor(.float32, shape: shape, elements))
  }

  /// The rounding noise of the reference, by layer.
  private func noise(_ recorded: Case) throws -> [String: Double] {
    let text = try Files.read("\(recorded.folder)/meta.json")
    let meta = try JSONValue(parsing: Array(text))
    var noise: [String: Double] = [:]
    for layer in meta.object?["layers"]?.array ?? [] {
      guard let index = layer.object?["index"]?.integer else { continue }
      noise[String(index)] = layer.object?["fuse_maxdiff"]?.real ?? 0
    }
    return noise
  }
}
