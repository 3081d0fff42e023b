import Bytes
import CoreMLFormat
import Foundation
import JSON
import ProtobufWire
import TestSupport
import Testing
import Weighbridge

/// Tiny YOLO as Core ML beside what coremltools 0.8 made of the same file, which
/// `Files/tinyyolo_coremltools.py` recorded.
@Suite(.enabled(if: Fixtures.areThere, "\(Fixtures.absence)"))
struct TinyYOLOInCoreMLTests {
  private let record = "\(Places.project)/Tests/ConversionTests/Files/tinyyolo_coremltools"

  /// Writes Tiny YOLO without suppression, described as it is in the recorded file.
  private func written() throws -> (bytes: [UInt8], model: CoreMLModel, layers: [CoreMLLayer]) {
    let folder = try TemporaryFolder()
    var model = try Model(
      contentsOf: Fixtures.file("keras/seeds/tinyyolo/tinyyolo_voc2007_modelweights.h5"))
    var edit = ModelCase.tinyYOLO
    edit.labels = nil
    edit.version = nil
    try model.describe(edit)
    var options = ExportOptions()
    options.suppressesBoxes = false
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
    let wanted = try #require(try recorded()["layers"]?.array).map { try ShownLayer($0) }
    let found = layers.map { ShownLayer($0, bytes) }
    #expect(found.count == 31 && wanted.count == 31)
    for (found, wanted) in zip(found, wanted) { #expect(found == wanted) }
  }

  @Test("Batch normalisations multiply by the same and add the same, but for float32's rounding")
  func batchNormalizations() throws {
    let (bytes, _, layers) = try written()
    let arrays = try ArrayFile.read("\(record).npz")
    var count = 0
    for layer in layers where layer.kind == "batchnorm" {
      let numbers = { (name: String) in
        layer.settings.record(name)?.place("floatValue").map { floats(bytes, $0.range) } ?? []
      }
      let deviations = numbers("variance").map {
        (Double($0) + layer.settings.real("epsilon")).squareRoot()
      }
      let scales = zip(numbers("gamma"), deviations).map { Double($0) / $1 }
      let products = zip(numbers("mean"), scales).map { Double($0) * $1 }
      let offsets = zip(numbers("beta"), products).map { Double($0) - $1 }
      for (name, got) in [("scale", scales), ("offset", offsets)] {
        let array = try #require(arrays.first { $0.name == "\(layer.name).\(name)" })
        let want = array.tensor.doubles
        #expect(got.count == want.count)
        #expect(zip(got, want).allSatisfy { abs($0 - $1) <= 2e-6 * max(1, abs($1)) })
        count += got.count
      }
    }
    #expect(count == 2 * 3056)
  }

  @Test("The interface and the metadata are the same, but for keys of our own")
  func interface() throws {
    var file = try written().model
    let text = try #require(try recorded()["interface"]?.string)
    let bytes = stride(from: 0, to: text.count, by: 2).compactMap { place in
      UInt8(text.dropFirst(place).prefix(2), radix: 16)
    }
    let wanted = try CoreMLReader.read(bytes.span.bytes)
    #expect(file.specificationVersion == wanted.specificationVersion)
    let keys = Set(file.description.metadata.userDefined.keys)
    #expect(keys == ["converter", "detector", "image.image", "name", "source"])
    file.description.metadata.userDefined = [:]
    #expect(file.description == wanted.description)
    guard case .neuralNetwork(let own) = file.content,
      case .neuralNetwork(let other) = wanted.content
    else {
      Issue.record("is no network")
      return
    }
    #expect(own.preprocessing == other.preprocessing && own.arrayMapping == other.arrayMapping)
  }
}

/// The numbers in a file.
private func floats(_ bytes: [UInt8], _ range: Range<Int>) -> [Float] {
  stride(from: range.lowerBound, to: range.upperBound, by: 4).map { place in
    Float(bitPattern: (0..<4).reduce(0) { $0 | UInt32(bytes[place + $1]) << (8 * UInt32($1)) })
  }
}

/// A layer with its settings and weights by their paths.
private struct ShownLayer: Equatable {
  let name: String
  let kind: String
  let inputs: [String]
  let outputs: [String]
  var settings: [String: String] = [:]
  var weights: [String: String] = [:]
}

extension ShownLayer {
  /// A layer of a file.
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
      case .record(let part):
        if let place = part.place("floatValue") {
          let sum = floats(bytes, place.range).enumerated().reduce(UInt64(0)) { sum, element in
            sum &+ UInt64(element.offset + 1) &* UInt64(element.element.bitPattern)
          }
          let digits = String(sum, radix: 16)
          let zeros = String(repeating: "0", count: 16 - digits.count)
          weights[prefix + name] = "\(place.byteCount / 4) \(zeros)\(digits)"
        } else {
          settings[prefix + name] = Self.text(.integer(1))
          add(part, "\(prefix)\(name).", bytes)
        }
      case .integer(let number) where number != 0:
        settings[prefix + name] = Self.text(.integer(number))
      case .real(let number) where number != 0: settings[prefix + name] = Self.text(.real(number))
      case .boolean(true): settings[prefix + name] = Self.text(.bool(true))
      case .integers(let numbers) where !numbers.isEmpty:
        settings[prefix + name] = Self.text(.array(numbers.map(JSONValue.integer)))
      case .integer, .real, .boolean, .integers, .choice("MAX"): break
      case .records(let records) where records.isEmpty: break
      default: settings[prefix + name] = "\(value)"
      }
    }
  }

  /// A recorded layer.
  init(_ json: JSONValue) throws {
    let object = try #require(json.object)
    let texts = { (name: String) in (object[name]?.array ?? []).compactMap(\.string) }
    self.init(
      name: try #require(object["name"]?.string), kind: try #require(object["kind"]?.string),
      inputs: texts("inputs"), outputs: texts("outputs"))
    let given = try #require(object["settings"]?.object)
    for key in given.keys { settings[key] = given[key].map(Self.text) }
    let sums = try #require(object["weights"]?.object)
    for key in sums.keys {
      let pair = try #require(sums[key]?.array)
      weights[key] = "\(try #require(pair[0].integer)) \(try #require(pair[1].string))"
    }
  }

  /// A number as float32 has it.
  private static func text(_ value: JSONValue) -> String {
    if let list = value.array { return list.map(text).joined(separator: " ") }
    return value.real.map { "\(Float($0))" } ?? value.text()
  }
}
