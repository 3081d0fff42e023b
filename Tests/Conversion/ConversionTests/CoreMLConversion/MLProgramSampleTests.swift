import Bytes
import JSON
import TestSupport
import Testing
import Weighbridge

/// The packages of `Samples/MLProgram`, which coremltools 5 to 9 made of PyTorch modules and Keras
/// models.
@Suite struct MLProgramSampleTests {
  static let names = Files.names(in: Paths.sample("MLProgram")).filter {
    $0.hasSuffix(".mlpackage")
  }.map { String($0.dropLast(".mlpackage".count)) }

  @Test("All packages are there")
  func count() { #expect(Self.names.count >= 160) }

  @Test("A package has all that its manifest names, or Core ML does not load it", arguments: names)
  func complete(_ name: String) throws {
    let path = Paths.sample("MLProgram/\(name).mlpackage")
    let manifest = try JSONValue(parsing: [UInt8](try Files.read("\(path)/Manifest.json"))).object
    let entries = try #require(manifest?["itemInfoEntries"]?.object)
    #expect(!entries.keys.isEmpty)
    for key in entries.keys {
      let item = try #require(entries[key]?.object?["path"]?.string)
      #expect(exists("\(path)/Data/\(item)"), "\(item)")
    }
  }

  @Test(
    "A program computes what PyTorch or TensorFlow computed, with both engines", arguments: names)
  func outputs(_ name: String) throws {
    let path = Paths.sample("MLProgram/\(name)")
    let model = try Model(contentsOf: "\(path).mlpackage")
    let expected = try ArrayFile.read("\(path).outputs.npz")
    let limit = name.contains("_half_") ? 1e-2 : 1e-4
    for engine in Engine.allCases {
      var options = RunOptions()
      options.engine = engine
      let outputs = try model.run(ArrayFile.read("\(path).inputs.npz"), options: options).outputs
      #expect(outputs.count == expected.count)
      for distance in distances(actual: outputs, expected: expected) {
        #expect(distance.error <= limit, "\(distance)")
      }
    }
  }

  @Test(
    "Compressed weights stay so",
    arguments: ["int8", "palette4", "int4_blocks", "network_half_ios17"])
  func compressed(_ name: String) throws {
    let folder = try TemporaryFolder()
    let model = try Model(contentsOf: Paths.sample("MLProgram/\(name).mlpackage"))
    try model.write(to: folder.file("m.wbm"))
    let plain = try Model(
      contentsOf: Paths.sample(
        "MLProgram/\(name == "network_half_ios17" ? "network" : "wide").mlpackage"))
    try plain.write(to: folder.file("plain.wbm"))
    #expect(try Files.size(folder.file("m.wbm")) < Files.size(folder.file("plain.wbm")))
  }
}
