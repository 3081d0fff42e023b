import Bytes
import CoreMLFormat
import Foundation
import JSON
import ProtobufWire
import TestSupport
import Testing
import Weighbridge

/// Tiny YOLO as Core ML, compared with what coremltools 0.8 wrote for the same file, which
/// `Files/tinyyolo_coremltools.py` recorded.
@Suite(.enabled(if: Fixtures.areAvailable, "\(Fixtures.skipReason)"))
struct TinyYOLOInCoreMLTests {
  private let record =
    "\(Paths.project)/Tests/Conversion/ConversionTests/Files/tinyyolo_coremltools"

  /// Writes Tiny YOLO without suppression, with the description of the recorded file.
  private func written() throws -> (bytes: [UInt8], model: CoreMLModel, layers: [CoreMLLayer]) {
    let folder = try TemporaryFolder()
    var model = try Model(
      contentsOf: Fixtures.file("keras/seeds/tinyyolo/tinyyolo_voc2007_modelweights.h5"))
    var edit = ModelCase.tinyYOLO
    edit.labels = nil
    edit.version = nil
    try model.describe(edit)
    var options = ExportOptions()
    options.withNMS = false
    try model.export(to: folder.file("m.mlmodel"), options: options)
    let bytes = [UInt8](try Files.read(folder.file("m.mlmodel")))
    let file = try CoreMLReader.read(bytes.span.bytes)
    guard case .neuralNetwork(let network) = file.content else {
      Issue.record("is no network")
      return (bytes, file, [])
    }
    return (bytes, file, network.layers)
  }

  private func recorded() throws -> JSONObject {
    try #require(try JSONValue(parsing: [UInt8](Files.read("\(record).json"))).object)
  }

  @Test("The layers are the same in the same order, with the same settings and weights")
  func layers() throws {
    let (bytes, _, layers) = try written()
    let expected = try #require(try recorded()["layers"]?.array).map { try ComparableLayer($0) }
    let actual = layers.map { ComparableLayer($0, bytes) }
    #expect(actual.count == 31 && expected.count == 31)
    for (actual, expected) in zip(actual, expected) { #expect(actual == expected) }
  }

  @Test("Batch normalizations have the same scales and offsets, up to float32 rounding")
  func batchNormalizations() throws {
    let (bytes, _, layers) = try written()
    let arrays = try ArrayFile.read("\(record).npz")
    var count = 0
    for layer in layers where layer.kind == "batchnorm" {
      let numbers = { (name: String) in
        layer.settings.record(name)?.byteRange("floatValue").map { floats(bytes, $0.range) } ?? []
      }
      let deviations = numbers("variance").map {
        (Double($0) + layer.settings.double("epsilon")).squareRoot()
      }
      let scales = zip(numbers("gamma"), deviations).map { Double($0) / $1 }
      let products = zip(numbers("mean"), scales).map { Double($0) * $1 }
      let offsets = zip(numbers("beta"), products).map { Double($0) - $1 }
      for (name, actual) in [("scale", scales), ("offset", offsets)] {
        let array = try #require(arrays.first { $0.name == "\(layer.name).\(name)" })
        let expected = array.tensor.doubles
        #expect(actual.count == expected.count)
        #expect(zip(actual, expected).allSatisfy { abs($0 - $1) <= 2e-6 * max(1, abs($1)) })
        count += actual.count
      }
    }
    #expect(count == 2 * 3056)
  }

  @Test("The interface and the metadata are the same, but for keys of our own")
  func interface() throws {
    var file = try written().model
    let hexadecimal = try #require(try recorded()["interface"]?.string)
    let bytes = stride(from: 0, to: hexadecimal.count, by: 2).compactMap { position in
      UInt8(hexadecimal.dropFirst(position).prefix(2), radix: 16)
    }
    let expected = try CoreMLReader.read(bytes.span.bytes)
    #expect(file.specificationVersion == expected.specificationVersion)
    let keys = Set(file.description.metadata.userDefined.keys)
    #expect(keys == ["converter", "detector", "image.image", "name", "source"])
    file.description.metadata.userDefined = [:]
    #expect(file.description == expected.description)
    guard case .neuralNetwork(let actualNetwork) = file.content,
      case .neuralNetwork(let expectedNetwork) = expected.content
    else {
      Issue.record("is no network")
      return
    }
    #expect(actualNetwork.preprocessing == expectedNetwork.preprocessing)
    #expect(actualNetwork.arrayMapping == expectedNetwork.arrayMapping)
  }
}

/// Reads the float32 numbers in a range of a file.
private func floats(_ bytes: [UInt8], _ range: Range<Int>) -> [Float] {
  stride(from: range.lowerBound, to: range.upperBound, by: 4).map { offset in
    Float(bitPattern: (0..<4).reduce(0) { $0 | UInt32(bytes[offset + $1]) << (8 * UInt32($1)) })
  }
}

/// A layer with its settings and weights by their paths, for comparison.
private struct ComparableLayer: Equatable {
  let name: String
  let kind: String
  let inputs: [String]
  let outputs: [String]
  var settings: [String: String] = [:]
  var weights: [String: String] = [:]
}

extension ComparableLayer {
  /// Creates a comparable layer from one of a file.
  init(_ layer: CoreMLLayer, _ bytes: [UInt8]) {
    self.init(
      name: layer.name, kind: layer.kind, inputs: layer.inputs, outputs: layer.outputs)
    if layer.kind == "batchnorm" {
      settings["channels"] = Self.text(.integer(layer.settings.integer("channels")))
    } else {
      add(layer.settings, "", bytes)
    }
  }

  private mutating func add(_ record: ProtobufRecord, _ prefix: String, _ bytes: [UInt8]) {
    for (name, value) in record.fields {
      switch value {
      case .record(let nested):
        if let range = nested.byteRange("floatValue") {
          let numbers = floats(bytes, range.range)
          let checksum = numbers.enumerated().reduce(UInt64(0)) { sum, element in
            sum &+ UInt64(element.offset + 1) &* UInt64(element.element.bitPattern)
          }
          let digits = String(checksum, radix: 16)
          let zeros = String(repeating: "0", count: 16 - digits.count)
          weights[prefix + name] = "\(range.byteCount / 4) \(zeros)\(digits)"
        } else {
          settings[prefix + name] = Self.text(.integer(1))
          add(nested, "\(prefix)\(name).", bytes)
        }
      case .integer(let number) where number != 0:
        settings[prefix + name] = Self.text(.integer(number))
      case .double(let number) where number != 0: settings[prefix + name] = Self.text(.real(number))
      case .boolean(true): settings[prefix + name] = Self.text(.bool(true))
      case .integers(let numbers) where !numbers.isEmpty:
        settings[prefix + name] = Self.text(.array(numbers.map(JSONValue.integer)))
      case .integer, .double, .boolean, .integers, .choice("MAX"): break
      case .records(let records) where records.isEmpty: break
      default: settings[prefix + name] = "\(value)"
      }
    }
  }

  /// Creates a comparable layer from a recorded one.
  init(_ json: JSONValue) throws {
    let object = try #require(json.object)
    let strings = { (name: String) in (object[name]?.array ?? []).compactMap(\.string) }
    self.init(
      name: try #require(object["name"]?.string), kind: try #require(object["kind"]?.string),
      inputs: strings("inputs"), outputs: strings("outputs"))
    let recordedSettings = try #require(object["settings"]?.object)
    for key in recordedSettings.keys { settings[key] = recordedSettings[key].map(Self.text) }
    let checksums = try #require(object["weights"]?.object)
    for key in checksums.keys {
      let pair = try #require(checksums[key]?.array)
      weights[key] = "\(try #require(pair[0].integer)) \(try #require(pair[1].string))"
    }
  }

  /// Returns a number as float32, or a list of them, as text.
  private static func text(_ value: JSONValue) -> String {
    if let list = value.array { return list.map(text).joined(separator: " ") }
    return value.real.map { "\(Float($0))" } ?? value.text()
  }
}
