import Bytes
import ProtobufWire

// Each record is made of its message of Schemas/onnx.proto.

extension ONNXModel {
  init(_ record: ProtobufRecord) throws(WeighbridgeError) {
    guard let graph = record.record("graph") else {
      throw WeighbridgeError(.malformed, "the model has no graph")
    }
    let own = record.records("opset_import").filter { ["", "ai.onnx"].contains($0.text("domain")) }
    guard let opset = own.first?.integer("version"), own.count == 1 else {
      throw WeighbridgeError(
        .malformed, "the model names \(own.count) versions of ONNX' operators, and there is one")
    }
    let summary = record.text("doc_string")
    self.init(
      irVersion: record.integer("ir_version"), opset: opset,
      producerName: record.text("producer_name"), producerVersion: record.text("producer_version"),
      summary: summary.isEmpty ? nil : summary,
      metadata: record.records("metadata_props").map {
        (key: $0.text("key"), value: $0.text("value"))
      }, graph: try ONNXGraph(graph))
  }
}

extension ONNXGraph {
  /// - Parameter isBody: Whether it is a node's.
  fileprivate init(
    _ record: ProtobufRecord, isBody: Bool = false
  ) throws(WeighbridgeError) {
    guard record["sparse_initializer"] == nil else {
      throw WeighbridgeError(.unsupported, "the graph has sparse weights, which cannot be read")
    }
    var nodes: [ONNXNode] = []
    for node in record.records("node") { nodes.append(try ONNXNode(node)) }
    var initializers: [ONNXInitializer] = []
    for tensor in record.records("initializer") {
      initializers.append(
        try locating({ $0.at(layer: "the weight \(tensor.text("name"))") }) {
          () throws(WeighbridgeError) in try ONNXInitializer(tensor)
        })
    }
    let summary = record.text("doc_string")
    self.init(
      name: record.text("name"), summary: summary.isEmpty ? nil : summary, nodes: nodes,
      initializers: initializers,
      inputs: try Self.features(record.records("input"), needTypes: !isBody),
      outputs: try Self.features(record.records("output"), needTypes: false))
  }

  /// - Parameter needTypes: Whether they must have shapes. Those of outputs, and all of a body's, follow
  ///   from the nodes.
  private static func features(
    _ records: [ProtobufRecord], needTypes: Bool
  ) throws(WeighbridgeError) -> [ONNXFeature] {
    var features: [ONNXFeature] = []
    for record in records {
      let type = record.record("type")
      if !needTypes, type?.record("tensor_type")?.record("shape") == nil,
        type == nil || type?.record("tensor_type") != nil
      {
        let number = type?.record("tensor_type")?.integer("elem_type") ?? 0
        features.append(
          ONNXFeature(
            name: record.text("name"), elementType: ElementType(onnxNumber: number) ?? .float32,
            shape: []))
      } else {
        features.append(try ONNXFeature(record))
      }
    }
    return features
  }
}

extension ONNXNode {
  fileprivate init(_ record: ProtobufRecord) throws(WeighbridgeError) {
    let domain = record.text("domain")
    var attributes: [(name: String, value: ONNXAttribute)] = []
    var names: Set<String> = []
    for attribute in record.records("attribute") {
      let name = attribute.text("name")
      guard names.insert(name).inserted else {
        throw WeighbridgeError(
          .malformed, "the node \(record.text("name")) has two settings \(name)")
      }
      attributes.append((name, try ONNXAttribute(attribute)))
    }
    self.init(
      name: record.text("name"), domain: domain == "ai.onnx" ? "" : domain,
      operation: record.text("op_type"), inputs: record.texts("input"),
      outputs: record.texts("output"), attributes: attributes)
  }
}

extension ONNXAttribute {
  /// The fields of an attribute, by the names of the types that say which counts.
  private static let fields = [
    "FLOAT": "f", "INT": "i", "STRING": "s", "TENSOR": "t", "GRAPH": "g", "FLOATS": "floats",
    "INTS": "ints", "STRINGS": "strings",
  ]

  fileprivate init(_ record: ProtobufRecord) throws(WeighbridgeError) {
    guard record.text("ref_attr_name").isEmpty else {
      throw WeighbridgeError(
        .malformed,
        "the setting \(record.text("name")) is a function's, and there is none around it")
    }
    // The oldest files do not say the type.
    let given = record.choice("type").flatMap { $0 == "UNDEFINED" ? nil : $0 }
    let type = given ?? Self.fields.filter { record[$0.value] != nil }.keys.sorted().first
    switch type {
    case "FLOAT": self = .real(record.real("f"))
    case "INT": self = .integer(record.integer("i"))
    case "STRING": self = .text(record.text("s"))
    case "FLOATS": self = .reals(record.reals("floats"))
    case "INTS": self = .integers(record.integers("ints"))
    case "STRINGS": self = .texts(record.texts("strings"))
    case "TENSOR":
      self = .tensor(try ONNXInitializer(record.record("t") ?? ProtobufRecord()))
    case "GRAPH": self = .graph(try ONNXGraph(record.record("g") ?? ProtobufRecord(), isBody: true))
    case let other?: self = .other(other)
    case nil: self = .other("UNDEFINED")
    }
  }
}

extension ONNXFeature {
  fileprivate init(_ record: ProtobufRecord) throws(WeighbridgeError) {
    let name = record.text("name")
    guard let tensor = record.record("type")?.record("tensor_type") else {
      throw WeighbridgeError(
        .unsupported,
        "the value \(name) is no tensor of known type: sequences, maps and optional "
          + "values cannot be read")
    }
    let number = tensor.integer("elem_type")
    guard let type = ElementType(onnxNumber: number) else {
      throw WeighbridgeError(.unsupported, "the value \(name) has elements of ONNX' type \(number)")
    }
    guard let shape = tensor.record("shape") else {
      throw WeighbridgeError(.unsupported, "the value \(name) does not say how many axes it has")
    }
    let summary = record.text("doc_string")
    self.init(
      name: name, elementType: type, shape: try shape.records("dim").map(Self.extent),
      summary: summary.isEmpty ? nil : summary)
  }

  /// An extent of -1 or 0, as some writers have it, is not known.
  private static func extent(_ record: ProtobufRecord) throws(WeighbridgeError) -> Extent {
    if case .integer(let extent)? = record["dim_value"] {
      return extent > 0 ? .fixed(extent) : .unknown
    }
    let name = record.text("dim_param")
    return name.isEmpty ? .unknown : .named(name)
  }
}
