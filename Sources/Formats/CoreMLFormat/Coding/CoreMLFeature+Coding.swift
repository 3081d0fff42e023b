import Bytes
import ProtobufWire

extension CoreMLDescription {
  var record: ProtobufRecord {
    var record: ProtobufRecord = [
      "input": .records(inputs.map(\.record)), "output": .records(outputs.map(\.record)),
      "metadata": .record(metadata.record),
    ]
    record.set("predictedFeatureName", predictedFeature)
    record.set("predictedProbabilitiesName", predictedProbabilities)
    return record
  }

  init(_ record: ProtobufRecord) throws(WeighbridgeError) {
    self.init(
      inputs: [], outputs: [], predictedFeature: record.nonEmptyString("predictedFeatureName"),
      predictedProbabilities: record.nonEmptyString("predictedProbabilitiesName"),
      metadata: CoreMLMetadata(record.record("metadata") ?? [:]))
    for input in record.records("input") { inputs.append(try CoreMLFeature(input)) }
    for output in record.records("output") { outputs.append(try CoreMLFeature(output)) }
  }
}

extension CoreMLMetadata {
  fileprivate var record: ProtobufRecord {
    let entries = userDefined.sorted { $0.key < $1.key }.map { key, value -> ProtobufRecord in
      ["key": .string(key), "value": .string(value)]
    }
    var record: ProtobufRecord = ["userDefined": .records(entries)]
    record.set("shortDescription", summary)
    record.set("versionString", version)
    record.set("author", author)
    record.set("license", license)
    return record
  }

  init(_ record: ProtobufRecord) {
    self.init(
      summary: record.nonEmptyString("shortDescription"),
      version: record.nonEmptyString("versionString"), author: record.nonEmptyString("author"),
      license: record.nonEmptyString("license"),
      userDefined: Dictionary(
        record.records("userDefined").map { ($0.string("key"), $0.string("value")) },
        uniquingKeysWith: { _, last in last }))  // protobuf keeps the last entry of a map
  }
}

extension CoreMLFeature {
  fileprivate var record: ProtobufRecord {
    var type = type.record
    type["isOptional"] = .boolean(isOptional)
    var record: ProtobufRecord = ["name": .string(name), "type": .record(type)]
    record.set("shortDescription", summary)
    return record
  }

  init(_ record: ProtobufRecord) throws(WeighbridgeError) {
    let name = record.string("name")
    let type = record.record("type") ?? [:]
    self.init(
      name: name, summary: record.nonEmptyString("shortDescription"),
      type: try CoreMLFeatureType(type, of: name), isOptional: type.boolean("isOptional"))
  }
}

extension CoreMLFeatureType {
  fileprivate var record: ProtobufRecord {
    switch self {
    case .int64: ["int64Type": .record([:])]
    case .double: ["doubleType": .record([:])]
    case .string: ["stringType": .record([:])]
    case .image(let image): ["imageType": .record(image.record)]
    case .multiArray(let array): ["multiArrayType": .record(array.record)]
    case .dictionary(.int64): ["dictionaryType": .record(["int64KeyType": .record([:])])]
    case .dictionary(.string): ["dictionaryType": .record(["stringKeyType": .record([:])])]
    case .sequence(let element, let range):
      ["sequenceType": .record(Self.sequence(element, range))]
    }
  }

  private static func sequence(_ element: CoreMLKey, _ range: CoreMLSizeRange?) -> ProtobufRecord {
    var record: ProtobufRecord = [element == .int64 ? "int64Type" : "stringType": .record([:])]
    if let range { record["sizeRange"] = .record(range.record) }
    return record
  }

  fileprivate init(_ record: ProtobufRecord, of name: String) throws(WeighbridgeError) {
    if record["int64Type"] != nil {
      self = .int64
    } else if record["doubleType"] != nil {
      self = .double
    } else if record["stringType"] != nil {
      self = .string
    } else if let image = record.record("imageType") {
      self = .image(CoreMLImage(image))
    } else if let array = record.record("multiArrayType") {
      self = .multiArray(CoreMLArray(array))
    } else if let keys = record.record("dictionaryType") {
      self = .dictionary(keys["int64KeyType"] == nil ? .string : .int64)
    } else if let sequence = record.record("sequenceType") {
      self = .sequence(
        sequence["int64Type"] == nil ? .string : .int64,
        sequence.record("sizeRange").map(CoreMLSizeRange.init))
    } else {
      throw .unsupported("the feature \(name) has no type that can be read")
    }
  }
}

extension CoreMLSizeRange {
  fileprivate var record: ProtobufRecord {
    ["lowerBound": .integer(lowerBound), "upperBound": .integer(upperBound ?? -1)]
  }

  fileprivate init(_ record: ProtobufRecord) {
    let upperBound = record.integer("upperBound")
    self.init(
      lowerBound: record.integer("lowerBound"), upperBound: upperBound < 0 ? nil : upperBound)
  }
}

extension CoreMLImage {
  fileprivate var record: ProtobufRecord {
    var record = size.record
    if let colorSpace { record["colorSpace"] = .choice(colorSpace.rawValue) }
    switch flexibility {
    case .enumerated(let sizes):
      record["enumeratedSizes"] = .record(["sizes": .records(sizes.map(\.record))])
    case .range(let width, let height):
      record["imageSizeRange"] = .record([
        "widthRange": .record(width.record), "heightRange": .record(height.record),
      ])
    case nil: break
    }
    return record
  }

  fileprivate init(_ record: ProtobufRecord) {
    self.init(
      size: Size(record), colorSpace: record.choice("colorSpace").flatMap(ColorSpace.init))
    if let sizes = record.record("enumeratedSizes") {
      flexibility = .enumerated(sizes.records("sizes").map(Size.init))
    } else if let range = record.record("imageSizeRange") {
      flexibility = .range(
        width: CoreMLSizeRange(range.record("widthRange") ?? [:]),
        height: CoreMLSizeRange(range.record("heightRange") ?? [:]))
    }
  }
}

extension CoreMLImage.Size {
  fileprivate var record: ProtobufRecord {
    ["width": .integer(width), "height": .integer(height)]
  }

  fileprivate init(_ record: ProtobufRecord) {
    self.init(width: record.integer("width"), height: record.integer("height"))
  }
}

extension CoreMLArray {
  fileprivate var record: ProtobufRecord {
    var record: ProtobufRecord = ["shape": .integers(shape)]
    if let element { record["dataType"] = .choice(element.rawValue) }
    switch flexibility {
    case .enumerated(let shapes):
      record["enumeratedShapes"] = .record([
        "shapes": .records(shapes.map { ["shape": .integers($0)] })
      ])
    case .ranges(let ranges):
      record["shapeRange"] = .record(["sizeRanges": .records(ranges.map(\.record))])
    case nil: break
    }
    switch defaultValue {
    case .integer(let number): record["intDefaultValue"] = .integer(number)
    case .float(let number): record["floatDefaultValue"] = .double(number)
    case .double(let number): record["doubleDefaultValue"] = .double(number)
    case nil: break
    }
    return record
  }

  fileprivate init(_ record: ProtobufRecord) {
    self.init(
      shape: record.integers("shape"), element: record.choice("dataType").flatMap(Element.init))
    if let shapes = record.record("enumeratedShapes") {
      flexibility = .enumerated(shapes.records("shapes").map { $0.integers("shape") })
    } else if let ranges = record.record("shapeRange") {
      flexibility = .ranges(ranges.records("sizeRanges").map(CoreMLSizeRange.init))
    }
    if record["intDefaultValue"] != nil {
      defaultValue = .integer(record.integer("intDefaultValue"))
    } else if record["floatDefaultValue"] != nil {
      defaultValue = .float(record.double("floatDefaultValue"))
    } else if record["doubleDefaultValue"] != nil {
      defaultValue = .double(record.double("doubleDefaultValue"))
    }
  }
}
