package import Bytes
package import ProtobufWire

extension CoreMLNetwork {
  /// The network as a message, which is also the message of a classifier except for its classes.
  var record: ProtobufRecord {
    [
      "layers": .records(layers.map(\.record)),
      "preprocessing": .records(preprocessing.map(\.record)),
      "arrayInputShapeMapping": .choice(arrayMapping.rawValue),
      "imageInputShapeMapping": .choice(imageMapping.rawValue),
    ]
  }

  init(_ record: ProtobufRecord) throws(WeighbridgeError) {
    self.init(
      layers: [], preprocessing: [],
      arrayMapping: record.choice("arrayInputShapeMapping").flatMap(ArrayMapping.init) ?? .rank5,
      imageMapping: record.choice("imageInputShapeMapping").flatMap(ImageMapping.init) ?? .rank5)
    for layer in record.records("layers") { layers.append(try CoreMLLayer(layer)) }
    for step in record.records("preprocessing") {
      preprocessing.append(try CoreMLPreprocessing(step))
    }
  }
}

extension CoreMLLayer {
  /// The fields of a layer other than the one for its kind.
  static let commonFields: Set<String> = [
    "name", "input", "output", "inputTensor", "outputTensor", "isUpdatable",
  ]

  fileprivate var record: ProtobufRecord {
    [
      "name": .string(name), "input": .strings(inputs), "output": .strings(outputs),
      "inputTensor": .records(inputShapes.map(\.record)),
      "outputTensor": .records(outputShapes.map(\.record)), kind: .record(settings),
    ]
  }

  fileprivate init(_ record: ProtobufRecord) throws(WeighbridgeError) {
    let name = record.string("name")
    guard let kind = record.fields.keys.first(where: { !Self.commonFields.contains($0) }) else {
      throw .malformed("has no type, expected one such as convolution").at(layer: name)
    }
    guard case .record(let settings)? = record[kind] else {
      throw .unsupported("is a layer \(kind), which cannot be read").at(layer: name)
    }
    self.init(
      name: name, kind: kind, inputs: record.strings("input"), outputs: record.strings("output"),
      inputShapes: record.records("inputTensor").map(CoreMLShape.init),
      outputShapes: record.records("outputTensor").map(CoreMLShape.init), settings: settings)
  }
}

extension CoreMLShape {
  fileprivate var record: ProtobufRecord {
    ["rank": .integer(rank), "dimValue": .integers(dimensions)]
  }

  fileprivate init(_ record: ProtobufRecord) {
    self.init(rank: record.integer("rank"), dimensions: record.integers("dimValue"))
  }
}

extension CoreMLPreprocessing {
  fileprivate var record: ProtobufRecord {
    var record: ProtobufRecord = [:]
    record.set("featureName", feature)
    switch step {
    case .scaler(let scale, let red, let green, let blue, let gray):
      record["scaler"] = .record([
        "channelScale": .double(scale), "redBias": .double(red), "greenBias": .double(green),
        "blueBias": .double(blue), "grayBias": .double(gray),
      ])
    case .meanImage(let byteRange):
      record["meanImage"] = .record(["meanImage": .byteRange(byteRange)])
    }
    return record
  }

  init(_ record: ProtobufRecord) throws(WeighbridgeError) {
    let feature = record.nonEmptyString("featureName")
    if let scaler = record.record("scaler") {
      self.init(
        feature: feature,
        step: .scaler(
          scale: scaler.double("channelScale"), red: scaler.double("redBias"),
          green: scaler.double("greenBias"), blue: scaler.double("blueBias"),
          gray: scaler.double("grayBias")))
    } else if let image = record.record("meanImage") {
      self.init(
        feature: feature,
        step: .meanImage(
          image.byteRange("meanImage") ?? ProtobufByteRange(offset: 0, byteCount: 0)))
    } else {
      throw .malformed(
        "the preprocessing of \(feature ?? "the input") is empty, expected a scaler or a mean image"
      )
    }
  }
}

extension CoreMLWeights {
  /// The weights as a setting of a layer.
  package var record: ProtobufRecord {
    var record = ProtobufRecord()
    if isUpdatable { record["isUpdatable"] = .boolean(true) }
    switch encoding {
    case .float32: record["floatValue"] = .byteRange(byteRange)
    case .float16: record["float16Value"] = .byteRange(byteRange)
    case .quantized(let bits, let quantization):
      record["rawValue"] = .byteRange(byteRange)
      record["quantization"] = .record(quantization.record(bits: bits))
    case .int8(let quantization):
      record["int8RawValue"] = .byteRange(byteRange)
      record["quantization"] = .record(quantization.record(bits: 8))
    }
    return record
  }

  /// Reads weights from a setting of a layer; float32 if there are no bytes.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when they are stored in several fields, or are
  ///   quantized without parameters.
  package init(_ record: ProtobufRecord) throws(WeighbridgeError) {
    let fields = ["floatValue", "float16Value", "rawValue", "int8RawValue"].filter {
      (record.byteRange($0)?.byteCount ?? 0) > 0
    }
    guard fields.count <= 1 else {
      throw .malformed(
        "weights are stored as \(fields.joined(separator: ", ")), expected one of these")
    }
    let field = fields.first ?? "floatValue"
    let byteRange = record.byteRange(field) ?? ProtobufByteRange(offset: 0, byteCount: 0)
    let isUpdatable = record.boolean("isUpdatable")
    switch field {
    case "floatValue": self.init(.float32, at: byteRange, isUpdatable: isUpdatable)
    case "float16Value": self.init(.float16, at: byteRange, isUpdatable: isUpdatable)
    default:
      guard let parameters = record.record("quantization"),
        let quantization = CoreMLQuantization(parameters)
      else { throw .malformed("weights are quantized, but nothing says how") }
      let bits = parameters.integer("numberOfBits")
      guard (1...8).contains(bits), field == "rawValue" || bits == 8 else {
        throw .malformed("weights are quantized to \(bits) bits, expected 1 to 8")
      }
      self.init(
        field == "rawValue" ? .quantized(bits: bits, quantization) : .int8(quantization),
        at: byteRange, isUpdatable: isUpdatable)
    }
  }
}

extension CoreMLQuantization {
  fileprivate func record(bits: Int) -> ProtobufRecord {
    var record: ProtobufRecord = ["numberOfBits": .integer(bits)]
    switch self {
    case .linear(let scales, let biases):
      var linear: ProtobufRecord = ["scale": .doubles(scales)]
      if !biases.isEmpty { linear["bias"] = .doubles(biases) }
      record["linearQuantization"] = .record(linear)
    case .lookupTable(let table):
      record["lookupTableQuantization"] = .record(["floatValue": .doubles(table)])
    }
    return record
  }

  fileprivate init?(_ record: ProtobufRecord) {
    if let linear = record.record("linearQuantization") {
      self = .linear(scales: linear.doubles("scale"), biases: linear.doubles("bias"))
    } else if let table = record.record("lookupTableQuantization") {
      self = .lookupTable(table.doubles("floatValue"))
    } else {
      return nil
    }
  }
}
