package import Bytes
package import ProtobufWire

extension CoreMLNetwork {
  /// The network as a message, which is also that of a classifier without its classes.
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
  /// The fields of a layer that are not kinds.
  static let commonFields: Set<String> = [
    "name", "input", "output", "inputTensor", "outputTensor", "isUpdatable",
  ]

  fileprivate var record: ProtobufRecord {
    [
      "name": .text(name), "input": .texts(inputs), "output": .texts(outputs),
      "inputTensor": .records(inputShapes.map(\.record)),
      "outputTensor": .records(outputShapes.map(\.record)), kind: .record(settings),
    ]
  }

  fileprivate init(_ record: ProtobufRecord) throws(WeighbridgeError) {
    let name = record.text("name")
    guard let kind = record.fields.keys.first(where: { !Self.commonFields.contains($0) }) else {
      throw .malformed("is of no kind").at(layer: name)
    }
    guard case .record(let settings)? = record[kind] else {
      throw .unsupported("is a layer \(kind), which cannot be read").at(layer: name)
    }
    self.init(
      name: name, kind: kind, inputs: record.texts("input"), outputs: record.texts("output"),
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
        "channelScale": .real(scale), "redBias": .real(red), "greenBias": .real(green),
        "blueBias": .real(blue), "grayBias": .real(gray),
      ])
    case .meanImage(let place): record["meanImage"] = .record(["meanImage": .place(place)])
    }
    return record
  }

  init(_ record: ProtobufRecord) throws(WeighbridgeError) {
    let feature = record.nonEmptyText("featureName")
    if let scaler = record.record("scaler") {
      self.init(
        feature: feature,
        step: .scaler(
          scale: scaler.real("channelScale"), red: scaler.real("redBias"),
          green: scaler.real("greenBias"), blue: scaler.real("blueBias"),
          gray: scaler.real("grayBias")))
    } else if let image = record.record("meanImage") {
      self.init(
        feature: feature,
        step: .meanImage(image.place("meanImage") ?? ProtobufPlace(offset: 0, byteCount: 0)))
    } else {
      throw .malformed("the preprocessing of \(feature ?? "the input") is empty")
    }
  }
}

extension CoreMLWeights {
  /// The weights as a setting of a layer.
  package var record: ProtobufRecord {
    var record = ProtobufRecord()
    if isUpdatable { record["isUpdatable"] = .boolean(true) }
    switch encoding {
    case .float32: record["floatValue"] = .place(place)
    case .float16: record["float16Value"] = .place(place)
    case .quantized(let bits, let meaning):
      record["rawValue"] = .place(place)
      record["quantization"] = .record(meaning.record(bits: bits))
    case .int8(let meaning):
      record["int8RawValue"] = .place(place)
      record["quantization"] = .record(meaning.record(bits: 8))
    }
    return record
  }

  /// Reads weights from a setting of a layer; without any bytes they are float32.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when they are stored in several forms, or are
  ///   quantized without parameters.
  package init(_ record: ProtobufRecord) throws(WeighbridgeError) {
    let forms = ["floatValue", "float16Value", "rawValue", "int8RawValue"].filter {
      (record.place($0)?.byteCount ?? 0) > 0
    }
    guard forms.count <= 1 else {
      throw .malformed("weights stand there as \(forms.joined(separator: ", "))")
    }
    let form = forms.first ?? "floatValue"
    let place = record.place(form) ?? ProtobufPlace(offset: 0, byteCount: 0)
    let isUpdatable = record.boolean("isUpdatable")
    switch form {
    case "floatValue": self.init(.float32, at: place, isUpdatable: isUpdatable)
    case "float16Value": self.init(.float16, at: place, isUpdatable: isUpdatable)
    default:
      guard let quantization = record.record("quantization"),
        let meaning = CoreMLQuantization(quantization)
      else { throw .malformed("weights are quantized, and nothing says how") }
      let bits = quantization.integer("numberOfBits")
      guard (1...8).contains(bits), form == "rawValue" || bits == 8 else {
        throw .malformed("weights are quantized to \(bits) bits, expected 1 to 8")
      }
      self.init(
        form == "rawValue" ? .quantized(bits: bits, meaning) : .int8(meaning), at: place,
        isUpdatable: isUpdatable)
    }
  }
}

extension CoreMLQuantization {
  fileprivate func record(bits: Int) -> ProtobufRecord {
    var record: ProtobufRecord = ["numberOfBits": .integer(bits)]
    switch self {
    case .linear(let scales, let biases):
      var linear: ProtobufRecord = ["scale": .reals(scales)]
      if !biases.isEmpty { linear["bias"] = .reals(biases) }
      record["linearQuantization"] = .record(linear)
    case .lookUp(let table):
      record["lookupTableQuantization"] = .record(["floatValue": .reals(table)])
    }
    return record
  }

  fileprivate init?(_ record: ProtobufRecord) {
    if let linear = record.record("linearQuantization") {
      self = .linear(scales: linear.reals("scale"), biases: linear.reals("bias"))
    } else if let table = record.record("lookupTableQuantization") {
      self = .lookUp(table.reals("floatValue"))
    } else {
      return nil
    }
  }
}
