import Bytes
import ProtobufWire

// Each record is read from its message of Schemas/onnx.proto.

extension ONNXModel {
  init(fragmentOf record: ProtobufRecord) {
    let opset = record.records("opset_import").first { $0.domain.isEmpty }
    self.init(
      irVersion: record.integer("ir_version"), opset: opset?.integer("version") ?? 0,
      producerName: record.string("producer_name"),
      producerVersion: record.string("producer_version"),
      summary: nil, metadata: [], graph: ONNXGraph(fragmentOf: record.record("graph") ?? [:]))
  }

  init(_ record: ProtobufRecord) throws(WeighbridgeError) {
    guard let graph = record.record("graph") else { throw .malformed("the model has no graph") }
    let imports = record.records("opset_import").filter { $0.domain.isEmpty }
    // Some programs list the same version several times.
    let versions = Set(imports.map { $0.integer("version") }).sorted()
    guard let opset = versions.first else {
      throw .malformed(
        "the model does not say which version of ONNX's operators it uses (opset_import)"
      )
    }
    guard versions.count == 1 else {
      throw .malformed(
        "the model imports the versions \(versions.map(String.init).joined(separator: ", ")) of "
          + "the default operator set, but can only use one")
    }
    self.init(
      irVersion: record.integer("ir_version"), opset: opset,
      producerName: record.string("producer_name"),
      producerVersion: record.string("producer_version"),
      summary: record.nonEmptyString("doc_string"),
      metadata: record.records("metadata_props").map {
        (key: $0.string("key"), value: $0.string("value"))
      }, graph: try ONNXGraph(graph))
    for function in record.records("functions") { functions.append(try ONNXFunction(function)) }
  }
}

extension ONNXGraph {
  fileprivate init(fragmentOf record: ProtobufRecord) {
    self.init(
      name: record.string("name"),
      nodes: record.records("node").map { (try? ONNXNode($0)) ?? ONNXNode($0, attributes: []) },
      initializers: record.records("initializer").compactMap(ONNXInitializer.init(fragmentOf:)),
      inputs: record.records("input").map(ONNXFeature.init),
      outputs: record.records("output").map(ONNXFeature.init))
  }

  fileprivate init(
    _ record: ProtobufRecord, isFunction: Bool = false
  ) throws(WeighbridgeError) {
    guard record["sparse_initializer"] == nil else {
      throw .unsupported("the graph has sparse weights, which cannot be read")
    }
    var nodes: [ONNXNode] = []
    for node in record.records("node") {
      nodes.append(try ONNXNode(node, isFunction: isFunction))
    }
    var initializers: [ONNXInitializer] = []
    for tensor in record.records("initializer") {
      initializers.append(
        try locating({ $0.at(layer: "the weight \(tensor.string("name"))") }) {
          () throws(WeighbridgeError) in try ONNXInitializer(tensor)
        })
    }
    self.init(
      name: record.string("name"), summary: record.nonEmptyString("doc_string"), nodes: nodes,
      initializers: initializers,
      inputs: record.records("input").map(ONNXFeature.init),
      outputs: record.records("output").map(ONNXFeature.init))
  }
}

extension ONNXFunction {
  fileprivate init(_ record: ProtobufRecord) throws(WeighbridgeError) {
    kind = ONNXOutline.Operator(
      domain: record.domain, name: record.string("name"), overload: record.string("overload"))
    opset = record.records("opset_import").first { $0.domain.isEmpty }?.integer("version")
    (inputs, outputs) = (record.strings("input"), record.strings("output"))
    defaults = try record.attributes(
      "attribute_proto", of: "function \(kind.fullName)", isFunction: true)
    var nodes: [ONNXNode] = []
    for node in record.records("node") { nodes.append(try ONNXNode(node, isFunction: true)) }
    self.nodes = nodes
  }
}

extension ProtobufRecord {
  /// Reads the attributes in a field, each with a name of its own.
  fileprivate func attributes(
    _ field: String, of owner: String, isFunction: Bool
  ) throws(WeighbridgeError) -> [(name: String, value: ONNXAttribute)] {
    var attributes: [(name: String, value: ONNXAttribute)] = []
    var names: Set<String> = []
    for attribute in records(field) {
      let name = attribute.string("name")
      guard names.insert(name).inserted else {
        throw .malformed("the \(owner) has two attributes \(name)")
      }
      attributes.append((name, try ONNXAttribute(attribute, isFunction: isFunction)))
    }
    return attributes
  }
}

extension ONNXNode {
  fileprivate init(
    _ record: ProtobufRecord, isFunction: Bool = false
  ) throws(WeighbridgeError) {
    self.init(
      record,
      attributes: try record.attributes(
        "attribute", of: "node \(record.string("name"))", isFunction: isFunction))
  }

  fileprivate init(_ record: ProtobufRecord, attributes: [(name: String, value: ONNXAttribute)]) {
    self.init(
      name: record.string("name"), domain: record.domain,
      operation: record.string("op_type"), inputs: record.strings("input"),
      outputs: record.strings("output"), attributes: attributes)
    overload = record.string("overload")
  }
}

extension ONNXAttribute {
  /// The fields of an attribute, by the name of the type that uses them.
  private static let fields = [
    "FLOAT": "f", "INT": "i", "STRING": "s", "TENSOR": "t", "GRAPH": "g", "FLOATS": "floats",
    "INTS": "ints", "STRINGS": "strings",
  ]

  fileprivate init(_ record: ProtobufRecord, isFunction: Bool) throws(WeighbridgeError) {
    let reference = record.string("ref_attr_name")
    guard reference.isEmpty else {
      guard isFunction else {
        throw .malformed(
          "the attribute \(record.string("name")) refers to one of a function, but is outside of any"
        )
      }
      self = .reference(reference)
      return
    }
    // The oldest files do not give the type.
    let declared = record.choice("type").flatMap { $0 == "UNDEFINED" ? nil : $0 }
    let type = declared ?? Self.fields.filter { record[$0.value] != nil }.keys.sorted().first
    switch type {
    case "FLOAT": self = .float(record.double("f"))
    case "INT": self = .integer(record.integer("i"))
    case "STRING": self = .string(record.string("s"))
    case "FLOATS": self = .floats(record.doubles("floats"))
    case "INTS": self = .integers(record.integers("ints"))
    case "STRINGS": self = .strings(record.strings("strings"))
    case "TENSOR":
      self = .tensor(try ONNXInitializer(record.record("t") ?? ProtobufRecord()))
    case "GRAPH":
      let graph = record.record("g") ?? ProtobufRecord()
      self = .graph(try ONNXGraph(graph, isFunction: isFunction))
    case let other?: self = .other(other)
    case nil: self = .other("UNDEFINED")
    }
  }
}

extension ONNXFeature {
  fileprivate init(_ record: ProtobufRecord) {
    let type = record.record("type") ?? ProtobufRecord()
    let tensor = type.record("tensor_type")
    let number = tensor?.integer("elem_type") ?? 0
    let narrowType = ONNXNarrowType(rawValue: number)
    self.init(
      name: record.string("name"),
      elementType: narrowType?.elementType ?? ElementType(onnxNumber: number) ?? .float32,
      shape: (tensor?.record("shape")?.records("dim") ?? []).map(Self.dimension),
      summary: record.nonEmptyString("doc_string"))
    self.narrowType = narrowType
    problem = Self.problem(type)
  }

  /// The ONNX types other than tensors, by the fields of a type.
  private static let otherTypes = [
    "sequence_type": "a sequence", "map_type": "a map", "sparse_tensor_type": "a sparse tensor",
    "optional_type": "an optional value",
  ]

  private static func problem(_ type: ProtobufRecord) -> String? {
    if let other = otherTypes.first(where: { type[$0.key] != nil })?.value {
      return "is \(other); only tensors can be read"
    }
    guard let tensor = type.record("tensor_type") else { return "has no type" }
    let number = tensor.integer("elem_type")
    if number == 0 { return "does not say the type of its elements" }
    if number == 8 { return "is a tensor of strings; only numbers can be read" }
    if ElementType(onnxNumber: number) == nil, ONNXNarrowType(rawValue: number) == nil {
      return
        "has elements of the type \(ElementType.onnxName(number)); only booleans and numbers of 2 to 64 "
        + "bits can be read"
    }
    return tensor.record("shape") == nil ? "does not say how many axes it has" : nil
  }

  /// A size of -1 or 0, as written by some programs, is unknown.
  private static func dimension(_ record: ProtobufRecord) -> Dimension {
    if case .integer(let dimension)? = record["dim_value"] {
      return dimension > 0 ? .fixed(dimension) : .unknown
    }
    let name = record.string("dim_param")
    return name.isEmpty ? .unknown : .named(name)
  }
}
