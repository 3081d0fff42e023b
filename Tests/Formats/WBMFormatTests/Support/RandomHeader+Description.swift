import Bytes
import DetectorRecord
import ProtobufWire

@testable import WBMFormat

/// Random descriptions and provenances, with fields of a later version.
extension RandomHeader {
  mutating func description(inputs: [String], outputs: [String]) -> WBMDescription {
    var description = WBMDescription(
      name: optional { $0.text() }, author: optional { $0.text() },
      license: optional { $0.license() }, version: optional { $0.text() },
      shortDescription: optional { $0.text() }, inputs: inputs.map { feature($0) },
      outputs: outputs.map { feature($0) },
      classLabels: list(0...4) { $0.text() }, detector: optional { $0.detector(outputs) },
      userDefined: list(0...4) { $0.pair() }.sorted {
        $0.key.utf8.lexicographicallyPrecedes($1.key.utf8)
      })
    if let detector = description.detector {
      description.classLabels =
        flag() ? [] : (0..<(detector.fields.classCount ?? 0)).map { _ in text() }
    }
    description.unknownFields = unknownFields()
    return description
  }

  mutating func license() -> WBMLicense {
    var license = WBMLicense(
      text: text(), spdx: optional { $0.text() }, note: optional { $0.text() })
    license.unknownFields = unknownFields()
    return license
  }

  mutating func feature(_ name: String) -> WBMFeature {
    var feature = WBMFeature(name: name, description: optional { $0.text() })
    if flag() {
      let order = WBMImage.ColorOrder.allCases[number(2)]
      var image = WBMImage(
        colorOrder: order, scale: real(), bias: (0..<order.channelCount).map { _ in real() },
        resize: optional { WBMImage.ResizePolicy.allCases[$0.number(2)] },
        layout: WBMImage.Layout.allCases[number(1)])
      image.unknownFields = unknownFields()
      feature.image = image
    }
    feature.unknownFields = unknownFields()
    return feature
  }

  mutating func detector(_ outputs: [String]) -> WBMDetector {
    var fields = DetectorDescription.Fields(kind: DetectorDescription.Kind.allCases[number(2)])
    let anchorCount = 1 + number(4)
    fields.anchors = (0..<2 * anchorCount).map { _ in real() }
    fields.heads = outputs.map { output in
      DetectorDescription.Head(
        output: output, mask: list(0...3) { $0.number(anchorCount - 1) },
        stride: optional { $0.real() }, scaleXY: real(),
        boxPoint: DetectorDescription.BoxPoint.allCases[number(2)])
    }
    fields.boxEncoding = DetectorDescription.BoxEncoding.allCases[number(3)]
    (fields.hasObjectness, fields.hasBackground) = (flag(), flag())
    fields.classCount = 1 + number(1000)
    fields.confidenceThreshold = optional { $0.real() }
    fields.iouThreshold = optional { $0.real() }
    fields.suppression = optional { DetectorDescription.Suppression.allCases[$0.number(3)] }
    fields.activated = Set(DetectorDescription.Part.allCases.filter { _ in flag() })
    fields.order = optional { DetectorDescription.Order.allCases[$0.number(2)] }
    fields.distanceExponent = optional { $0.real() }
    if flag() {
      let classCount = 1 + number(9)
      fields.classCount = classCount
      fields.classTree = DetectorDescription.ClassTree(
        parents: (0..<classCount).map { $0 == 0 || flag() ? nil : number($0 - 1) },
        threshold: real(), choice: DetectorDescription.ClassTree.Choice.allCases[number(1)])
    }
    let places =
      [""] + (0..<anchorCount).map { "/anchors/\($0)" } + outputs.indices.map { "/heads/\($0)" }
      + (fields.classTree == nil ? [] : ["/classTree"])
    var detector = WBMDetector(fields)
    for place in places {
      let unknown = unknownFields()
      if !unknown.fields.isEmpty { detector.unknownFields[place] = unknown }
    }
    return detector
  }

  mutating func provenance() -> WBMProvenance {
    var provenance = WBMProvenance(
      sources: list(0...2) { random in
        var source = WBMSource(
          name: "file \(random.number(9)).h5", role: random.text(),
          sha256: (0..<32).map { _ in UInt8(random.number(255)) },
          byteCount: random.number(.max - 1))
        source.unknownFields = random.unknownFields()
        return source
      },
      framework: optional { $0.text() }, frameworkVersion: optional { $0.text() },
      backend: optional { $0.text() }, writer: text(),
      options: list(0...3) { $0.pair() }.sorted {
        $0.key.utf8.lexicographicallyPrecedes($1.key.utf8)
      },
      decisions: list(0...3) { random in
        var decision = WBMDecision(layer: random.text(), text: random.text())
        decision.unknownFields = random.unknownFields()
        return decision
      })
    provenance.unknownFields = unknownFields()
    return provenance
  }

  mutating func pair() -> WBMKeyValue {
    var pair = WBMKeyValue(key: name(), value: text())
    pair.unknownFields = unknownFields()
    return pair
  }

  mutating func unknownFields() -> UnknownFields {
    UnknownFields(
      list(0...1) { random in
        let number = UInt32(1000 + random.number(1 << 20))
        switch random.number(3) {
        case 0:
          return .init(number: number, wireType: 0, payload: Wire.varint(random.generator.next()))
        case 1: return .init(number: number, wireType: 1, payload: [1, 2, 3, 4, 5, 6, 7, 8])
        case 2: return .init(number: number, wireType: 5, payload: [1, 2, 3, 4])
        default: return .init(number: number, wireType: 2, payload: [3, 7, 0, 255])
        }
      })
  }
}
