package import Bytes
package import JSON

/// Graphs as JSON, in which TensorFlow.js keeps them: the names of fields are those of the messages,
/// strings are base64, or in its first version lists of bytes, and large integers are strings.
extension TensorFlowGraph {
  /// Reads a `GraphDef`.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed``.
  package init(_ json: JSONValue) throws(WeighbridgeError) {
    for node in json["node"]?.array ?? [] { nodes.append(try TensorFlowNode(node)) }
    for function in json["library"]?["function"]?.array ?? [] {
      functions.append(try TensorFlowFunction(function))
    }
    guard !nodes.isEmpty else { throw .malformed("has no operations in its modelTopology") }
  }
}

extension TensorFlowNode {
  fileprivate init(_ json: JSONValue) throws(WeighbridgeError) {
    guard let name = json["name"]?.string, let operation = json["op"]?.string else {
      throw .malformed("has an operation without a name or without an operator")
    }
    self.init(name: name, operation: operation)
    inputs = (json["input"]?.array ?? []).compactMap(\.string)
    for (key, value) in json["attr"]?.object?.members.map({ $0 }) ?? [] {
      attributes[key] = try TensorFlowAttribute(value, of: name)
    }
  }
}

extension TensorFlowFunction {
  fileprivate init(_ json: JSONValue) throws(WeighbridgeError) {
    self.init()
    let signature = json["signature"] ?? .null
    name = signature["name"]?.string ?? ""
    inputs = (signature["inputArg"]?.array ?? []).compactMap { $0["name"]?.string }
    outputs = (signature["outputArg"]?.array ?? []).compactMap { $0["name"]?.string }
    for node in json["nodeDef"]?.array ?? [] { nodes.append(try TensorFlowNode(node)) }
    for (key, value) in json["ret"]?.object?.members.map({ $0 }) ?? [] {
      results[key] = value.string ?? ""
    }
    effects = (json["controlRet"]?.object?.members.map { $0.value } ?? []).compactMap(\.string)
  }
}

extension TensorFlowAttribute {
  /// Reads an `AttrValue`; `nil` for one without a value.
  fileprivate init?(_ json: JSONValue, of node: String) throws(WeighbridgeError) {
    guard let (kind, value) = json.object?.members.first else { return nil }
    if kind == "list" {
      var list: [TensorFlowAttribute] = []
      for (kind, values) in value.object?.members.map({ $0 }) ?? [] {
        for value in values.array ?? [] {
          list.append(try Self(kind, value, of: node))
        }
      }
      self = .list(list)
    } else {
      try self.init(kind, value, of: node)
    }
  }

  private init(_ kind: String, _ value: JSONValue, of node: String) throws(WeighbridgeError) {
    var attribute: TensorFlowAttribute?
    switch kind {
    case "s":
      let listed = value.array?.compactMap { $0.integer.flatMap { UInt8(exactly: $0) } }
      attribute = (value.string.flatMap { [UInt8](base64: $0) } ?? listed).map {
        .string(String(decoding: $0, as: UTF8.self))
      }
    case "i": attribute = value.wholeNumber.map { .integer($0) }
    case "f": attribute = value.real.map { .real(Double(Float($0))) }
    case "b": attribute = value.bool.map { .boolean($0) }
    case "type": attribute = TensorFlowType(json: value).map { .type($0) }
    case "shape": attribute = .shape(try TensorFlowShape.read(value))
    case "func": attribute = value["name"]?.string.map { .function($0) }
    case "tensor":
      // The elements are in the files next to it.
      var tensor = TensorFlowTensor()
      tensor.type = TensorFlowType(json: value["dtype"] ?? .null) ?? tensor.type
      tensor.shape = try TensorFlowShape.read(value["tensorShape"] ?? .null) ?? []
      attribute = .tensor(tensor)
    default: break
    }
    guard let attribute else {
      throw .malformed(
        "the operation \(node) has \(value.text()), expected an attribute of the kind \(kind)")
    }
    self = attribute
  }
}

extension TensorFlowSignature {
  /// Reads a `SignatureDef`.
  package init(_ json: JSONValue) throws(WeighbridgeError) {
    self.init()
    name = "serving_default"
    inputs = try Self.ports(json["inputs"])
    outputs = try Self.ports(json["outputs"])
  }

  private static func ports(_ json: JSONValue?) throws(WeighbridgeError) -> [Port] {
    var ports: [Port] = []
    for (name, value) in json?.object?.members.map({ $0 }) ?? [] {
      ports.append(
        Port(
          name: name, value: value["name"]?.string ?? "",
          type: TensorFlowType(json: value["dtype"] ?? .null) ?? TensorFlowType(code: 0),
          shape: try TensorFlowShape.read(value["tensorShape"] ?? .null)))
    }
    return ports
  }
}

extension TensorFlowShape {
  /// Reads a `TensorShapeProto`.
  static func read(_ json: JSONValue) throws(WeighbridgeError) -> [Int]? {
    if json["unknownRank"]?.bool == true { return nil }
    var shape: [Int] = []
    for dimension in json["dim"]?.array ?? [] {
      guard let size = (dimension["size"] ?? .integer(0)).wholeNumber,
        shape.count < rankLimit
      else {
        throw .malformed(
          "has a shape with the size \(dimension.text()), expected an integer, and at most "
            + "\(rankLimit) axes")
      }
      shape.append(max(size, -1))
    }
    return shape
  }
}

extension TensorFlowType {
  /// The names of types that differ from ours.
  private static let otherNames = [
    "FLOAT": "float32", "DOUBLE": "float64", "HALF": "float16",
  ]

  /// Reads a name, such as `DT_FLOAT`, or a number.
  fileprivate init?(json: JSONValue) {
    if let code = json.integer {
      self.init(code: code)
      return
    }
    guard let name = json.string, name.hasPrefix("DT_") else { return nil }
    let plain = String(name.dropFirst(3))
    self.init(name: Self.otherNames[plain] ?? plain.lowercased())
  }
}

extension JSONValue {
  /// An integer, which may be in a string.
  fileprivate var wholeNumber: Int? { integer ?? string.flatMap { Int($0) } }

  fileprivate subscript(_ key: String) -> JSONValue? { object?[key] }
}
