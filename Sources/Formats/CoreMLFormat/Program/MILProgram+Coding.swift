import Bytes
import ProtobufWire

extension MILProgram {
  var record: ProtobufRecord {
    [
      "version": .integer(1),
      "functions": .records(
        functions.map { ["key": .string($0.name), "value": .record($0.record)] }),
    ]
  }

  init(_ record: ProtobufRecord) throws(WeighbridgeError) {
    guard record.integer("version") == 1 else {
      throw .unsupported(
        "is an ML Program of version \(record.integer("version")), expected version 1")
    }
    self.init(
      functions: try record.records("functions").map { (entry) throws(WeighbridgeError) in
        try MILFunction(entry.string("key"), entry.record("value") ?? [:])
      })
  }
}

extension MILFunction {
  fileprivate var record: ProtobufRecord {
    [
      "inputs": .records(inputs.map(\.record)), "opset": .string(opset),
      "blockSpecializations": .records([
        ["key": .string(opset), "value": .record(block.record)]
      ]),
    ]
  }

  fileprivate init(_ name: String, _ record: ProtobufRecord) throws(WeighbridgeError) {
    let opset = record.string("opset")
    guard
      let entry = record.records("blockSpecializations").first(where: {
        $0.string("key") == opset
      })
    else {
      throw .malformed("the function \(name) has no operations for its own opset \(opset)")
    }
    self.init(
      name: name,
      inputs: try record.records("inputs").map { (input) throws(WeighbridgeError) in
        try MILNamedType(input)
      }, opset: opset, block: try MILBlock(entry.record("value") ?? [:]))
  }
}

extension MILBlock {
  fileprivate var record: ProtobufRecord {
    [
      "inputs": .records(inputs.map(\.record)), "outputs": .strings(outputs),
      "operations": .records(operations.map(\.record)),
    ]
  }

  /// The recursion is no deeper than messages may be nested.
  fileprivate init(_ record: ProtobufRecord) throws(WeighbridgeError) {
    self.init(outputs: record.strings("outputs"), operations: [])
    for input in record.records("inputs") { inputs.append(try MILNamedType(input)) }
    operations.reserveCapacity(record.records("operations").count)
    for (index, operation) in record.records("operations").enumerated() {
      do throws(WeighbridgeError) {
        operations.append(try MILOperation(operation))
      } catch {
        let name = operation.records("outputs").first?.string("name") ?? "\(index)"
        throw WeighbridgeError(
          error.code, "the operation \(name) (\(operation.string("type"))) \(error.reason)",
          place: error.place)
      }
    }
  }
}

extension MILOperation {
  fileprivate var record: ProtobufRecord {
    [
      "type": .string(type),
      "inputs": .records(
        inputs.map {
          [
            "key": .string($0.name),
            "value": .record(["arguments": .records($0.bindings.map(\.record))]),
          ]
        }),
      "outputs": .records(outputs.map(\.record)), "blocks": .records(blocks.map(\.record)),
      "attributes": .records(
        attributes.map { ["key": .string($0.name), "value": .record($0.value.record)] }),
    ]
  }

  fileprivate init(_ record: ProtobufRecord) throws(WeighbridgeError) {
    self.init(record.string("type"), outputs: [], attributes: [])
    for entry in record.records("inputs") {
      var bindings: [Binding] = []
      for binding in entry.record("value")?.records("arguments") ?? [] {
        bindings.append(try Binding(binding))
      }
      inputs.append(Input(entry.string("key"), bindings))
    }
    for output in record.records("outputs") { outputs.append(try MILNamedType(output)) }
    for block in record.records("blocks") { blocks.append(try MILBlock(block)) }
    for entry in record.records("attributes") {
      attributes.append(
        Attribute(entry.string("key"), try MILValue(entry.record("value") ?? [:])))
    }
  }
}

extension MILOperation.Binding {
  fileprivate var record: ProtobufRecord {
    switch self {
    case .name(let name): ["name": .string(name)]
    case .value(let value): ["value": .record(value.record)]
    }
  }

  fileprivate init(_ record: ProtobufRecord) throws(WeighbridgeError) {
    if let value = record.record("value") {
      self = .value(try MILValue(value))
    } else if record["name"] != nil {
      self = .name(record.string("name"))
    } else {
      throw .malformed("has an input without a value, expected a name or a constant")
    }
  }
}

extension MILNamedType {
  fileprivate var record: ProtobufRecord {
    ["name": .string(name), "type": .record(type.record)]
  }

  fileprivate init(_ record: ProtobufRecord) throws(WeighbridgeError) {
    self.init(record.string("name"), try MILType(record.record("type") ?? [:]))
  }
}

extension MILType {
  fileprivate var record: ProtobufRecord {
    switch self {
    case .tensor(let type, let shape):
      [
        "tensorType": .record([
          "dataType": .choice(type.rawValue), "rank": .integer(shape.count),
          "dimensions": .records(shape.map(Self.record)),
        ])
      ]
    case .list(let type, let count):
      [
        "listType": .record(["type": .record(type.record), "length": .record(Self.record(count))])
      ]
    case .dictionary(let key, let value):
      [
        "dictionaryType": .record([
          "keyType": .record(key.record), "valueType": .record(value.record),
        ])
      ]
    }
  }

  private static func record(_ size: Int?) -> ProtobufRecord {
    size.map { ["constant": .record(["size": .integer($0)])] }
      ?? ["unknown": .record(["variadic": .boolean(false)])]
  }

  fileprivate init(_ record: ProtobufRecord) throws(WeighbridgeError) {
    if let tensor = record.record("tensorType") {
      guard let type = MILDataType(rawValue: tensor.choice("dataType") ?? "") else {
        throw .malformed("has a tensor without a type of elements")
      }
      var shape: [Int?] = []
      for dimension in tensor.records("dimensions") { shape.append(try Self.size(dimension)) }
      guard shape.count == tensor.integer("rank") else {
        throw .malformed(
          "has a tensor of \(tensor.integer("rank")) axes with \(shape.count.counted("size")), expected "
            + "one for each")
      }
      self = .tensor(type, shape: shape)
    } else if let list = record.record("listType") {
      self = .list(
        try MILType(list.record("type") ?? [:]), count: try Self.size(list.record("length") ?? [:]))
    } else if let dictionary = record.record("dictionaryType") {
      self = .dictionary(
        key: try MILType(dictionary.record("keyType") ?? [:]),
        value: try MILType(dictionary.record("valueType") ?? [:]))
    } else if let kind = ["tupleType", "stateType"].first(where: {
      record[$0] != nil
    }) {
      throw .unsupported(
        "has a value of the kind \(kind), and only tensors, lists and dictionaries can be read")
    } else {
      throw .malformed("has a value without a type")
    }
  }

  private static func size(_ dimension: ProtobufRecord) throws(WeighbridgeError) -> Int? {
    if let constant = dimension.record("constant") { return constant.integer("size") }
    guard let unknown = dimension.record("unknown") else {
      throw .malformed("has an axis without a size")
    }
    guard !unknown.boolean("variadic") else {
      throw .unsupported("has a tensor of an unknown number of axes")
    }
    return nil
  }
}

extension MILValue {
  fileprivate var record: ProtobufRecord {
    var record: ProtobufRecord = ["type": .record(type.record)]
    switch content {
    case .blob(let file, let offset):
      record["blobFileValue"] = .record(["fileName": .string(file), "offset": .integer(offset)])
    case .list(let values):
      record["immediateValue"] = .record([
        "list": .record(["values": .records(values.map(\.record))])
      ])
    case .floats(let numbers): record.set("floats", .doubles(numbers))
    case .integers(let numbers): record.set("ints", .integers(numbers))
    case .booleans(let flags): record.set("bools", .booleans(flags))
    case .strings(let strings): record.set("strings", .strings(strings))
    case .bytes(let bytes): record.set("bytes", .bytes(bytes))
    case .byteRange(let range): record.set("bytes", .byteRange(range))
    }
    return record
  }

  fileprivate init(_ record: ProtobufRecord) throws(WeighbridgeError) {
    let type = try MILType(record.record("type") ?? [:])
    if let blob = record.record("blobFileValue") {
      self.init(type, .blob(file: blob.string("fileName"), offset: blob.integer("offset")))
      return
    }
    let value = record.record("immediateValue") ?? [:]
    if let list = value.record("list") {
      var values: [MILValue] = []
      for value in list.records("values") { values.append(try MILValue(value)) }
      self.init(type, .list(values))
      return
    }
    guard let tensor = value.record("tensor"), let kind = tensor.fields.first?.key,
      let elements = tensor.record(kind)
    else {
      throw .unsupported("has a constant that is neither a tensor nor a list")
    }
    let content: Content =
      switch kind {
      case "floats", "doubles": .floats(elements.doubles("values"))
      case "ints", "longInts": .integers(elements.integers("values"))
      case "bools": .booleans(elements.booleans("values"))
      case "strings": .strings(elements.strings("values"))
      default:
        .byteRange(elements.byteRange("values") ?? ProtobufByteRange(offset: 0, byteCount: 0))
      }
    self.init(type, content)
  }
}

extension ProtobufRecord {
  /// Sets the elements of a constant.
  fileprivate mutating func set(_ kind: String, _ values: ProtobufValue) {
    self["immediateValue"] = .record([
      "tensor": .record([kind: .record(["values": values])])
    ])
  }
}
