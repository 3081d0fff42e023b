import Bytes
import CoreMLFormat
import Foundation
import ProtobufWire
import TestSupport
import Testing
import Weighbridge

/// Written files, compared with those that coremltools 0.8 wrote for the same models.
@Suite struct CoreMLToolsTests {
  /// A layer with its values by number and its weights by a hash of their bytes, independent of
  /// names and offsets.
  private struct ComparableLayer: Equatable {
    let kind: String
    let inputs: [Int]
    let outputs: [Int]
    let settings: ProtobufRecord
  }

  private func layers(_ path: String) throws -> [ComparableLayer] {
    let bytes = [UInt8](try Files.read(path))
    guard case .neuralNetwork(let network) = try CoreMLReader.read(bytes.span.bytes).content else {
      Issue.record("\(path) is no network")
      return []
    }
    var numbers: [String: Int] = [:]
    let number = { (name: String) -> Int in
      if let known = numbers[name] { return known }
      numbers[name] = numbers.count
      return numbers.count - 1
    }
    return network.layers.map { layer in
      let settings = layer.settings.mappingByteRanges { range in
        ProtobufByteRange(offset: bytes[range.range].hashValue, byteCount: range.byteCount)
      }
      return ComparableLayer(
        kind: layer.kind, inputs: layer.inputs.map(number), outputs: layer.outputs.map(number),
        settings: settings)
    }
  }

  @Test(
    "A network has the layers, settings and weights that coremltools gives it",
    .enabled(if: Fixtures.areAvailable, "\(Fixtures.skipReason)"))
  func network() throws {
    let folder = try TemporaryFolder()
    var options = ReadOptions()
    let seed = Fixtures.file("keras/seeds/small_unet")
    options.architecture = "\(seed)/small_unet_arch.json"
    let model = try Model(contentsOf: "\(seed)/small_unet_weightsonly.h5", options: options)
    try model.export(to: folder.file("m.mlmodel"))
    let ours = try layers(folder.file("m.mlmodel"))
    let theirs = try layers(Fixtures.file("coreml/small_unet.mlmodel"))
    #expect(ours.count == 51 && theirs.count == 51)
    for (our, their) in zip(ours, theirs) { #expect(our == their) }
  }

  @Test(
    "A file from coremltools is exported again with the same layers and interface",
    .enabled(if: Fixtures.areAvailable, "\(Fixtures.skipReason)"))
  func again() throws {
    let folder = try TemporaryFolder()
    let source = Fixtures.file("coreml/small_unet.mlmodel")
    try Model(contentsOf: source).export(to: folder.file("m.mlmodel"))
    let files = try [source, folder.file("m.mlmodel")].map { path in
      try CoreMLReader.read([UInt8](try Files.read(path)).span.bytes)
    }
    #expect(files[0].specificationVersion == files[1].specificationVersion)
    #expect(files[0].description.inputs == files[1].description.inputs)
    #expect(files[0].description.outputs == files[1].description.outputs)
    let (ours, theirs) = (try layers(folder.file("m.mlmodel")), try layers(source))
    #expect(!ours.isEmpty && ours.count == theirs.count)
    for (our, their) in zip(ours, theirs) { #expect(our == their) }
  }
}
