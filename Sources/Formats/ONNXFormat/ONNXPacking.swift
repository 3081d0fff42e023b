import Bytes
import CONNX
import ProtobufWire

// Each type is converted to its message of Schemas/onnx.proto.

extension ONNXModel {
  /// The model's bytes without its graph.
  func packedHead() throws(WeighbridgeError) -> [UInt8] {
    var record: ProtobufRecord = [
      "ir_version": .integer(irVersion), "producer_name": .string(producerName),
      "producer_version": .string(producerVersion),
      "opset_import": .records([["domain": .string(""), "version": .integer(opset)]]),
      "metadata_props": .records(
        metadata.map { ["key": .string($0.key), "value": .string($0.value)] }),
    ]
    record["doc_string"] = summary.map { .string($0) }
    return try record.packed(as: unsafe MessageDescriptor(onnx_model_descriptor()))
  }
}

extension ONNXGraph {
  /// The graph's bytes without its initializers.
  func packedHead() throws(WeighbridgeError) -> [UInt8] {
    try record.packed(as: unsafe MessageDescriptor(onnx_graph_descriptor()))
  }

  fileprivate var record: ProtobufRecord {
    var record: ProtobufRecord = [
      "name": .string(name), "node": .records(nodes.map(\.record)),
      "input": .records(inputs.map(\.record)), "output": .records(outputs.map(\.record)),
    ]
    record["doc_string"] = summary.map { .string($0) }
    return record
  }
}

extension ONNXNode {
  fileprivate var record: ProtobufRecord {
    let settings = attributes.map { entry in
      let (type, field, value) = entry.value.field
      return ["name": .string(entry.name), "type": .choice(type), field: value] as ProtobufRecord
    }
    return [
      "name": .string(name), "op_type": .string(operation), "input": .strings(inputs),
      "output": .strings(outputs), "attribute": .records(settings),
    ]
  }
}

extension ONNXAttribute {
  /// The name of the type, and the field that contains the value.
  fileprivate var field: (type: String, name: String, value: ProtobufValue) {
    switch self {
    case .integer(let number): ("INT", "i", .integer(number))
    case .float(let number): ("FLOAT", "f", .double(number))
    case .string(let string): ("STRING", "s", .string(string))
    case .integers(let numbers): ("INTS", "ints", .integers(numbers))
    case .floats(let numbers): ("FLOATS", "floats", .doubles(numbers))
    case .strings(let strings): ("STRINGS", "strings", .strings(strings))
    case .graph(let graph): ("GRAPH", "g", .record(graph.record))
    case .tensor, .reference, .other: preconditionFailure("this is in files that are read only")
    }
  }
}

extension ONNXFeature {
  fileprivate var record: ProtobufRecord {
    let dimensions = shape.enumerated().map { axis, dimension -> ProtobufRecord in
      var record = dimension.record
      if axis < axisDenotations.count { record["denotation"] = .string(axisDenotations[axis]) }
      return record
    }
    let tensor: ProtobufRecord = [
      "elem_type": .integer(Int(elementType.onnxNumber)),
      "shape": .record(["dim": .records(dimensions)]),
    ]
    var type: ProtobufRecord = ["tensor_type": .record(tensor)]
    type["denotation"] = denotation.map { .string($0) }
    var record: ProtobufRecord = ["name": .string(name), "type": .record(type)]
    record["doc_string"] = summary.map { .string($0) }
    return record
  }
}

extension ONNXFeature.Dimension {
  fileprivate var record: ProtobufRecord {
    switch self {
    case .fixed(let size): ["dim_value": .integer(size)]
    case .named(let name): ["dim_param": .string(name)]
    case .unknown: [:]
    }
  }
}

extension ONNXInitializer {
  /// The location of elements in a file of external data.
  struct ExternalLocation {
    let fileName: String
    let offset: Int
  }

  /// The size in bytes of the elements in the file.
  package var byteCount: Int {
    narrowType?.byteCount(of: shape.reduce(1, *)) ?? shape.reduce(elementType.byteCount, *)
  }

  /// The tensor's bytes without its elements.
  ///
  /// - Parameter location: The location of the elements if they are external data.
  func packedHead(_ location: ExternalLocation?) throws(WeighbridgeError) -> [UInt8] {
    var record: ProtobufRecord = [
      "dims": .integers(shape),
      "data_type": .integer(narrowType?.rawValue ?? Int(elementType.onnxNumber)),
      "name": .string(name),
    ]
    if let location {
      record["data_location"] = .choice("EXTERNAL")
      record["external_data"] = .records([
        ["key": .string("location"), "value": .string(location.fileName)],
        ["key": .string("offset"), "value": .string("\(location.offset)")],
        ["key": .string("length"), "value": .string("\(byteCount)")],
      ])
    }
    return try record.packed(as: unsafe MessageDescriptor(onnx_tensor_descriptor()))
  }
}

extension ProtobufRecord {
  fileprivate func packed(
    as descriptor: MessageDescriptor?
  ) throws(WeighbridgeError) -> [UInt8] {
    guard let descriptor else { preconditionFailure("the compiled schema lacks a message") }
    return try ProtobufPieces.bytes(self, as: descriptor)
  }
}

extension ElementType {
  /// The number of the type in ONNX.
  package var onnxNumber: Int32 { Int32(bitPattern: onnxType.rawValue) }

  /// Creates the type with a number in ONNX; `nil` for unsupported types such as strings, complex
  /// numbers and float8.
  package init?(onnxNumber: Int) {
    guard let type = Self.allCases.first(where: { Int($0.onnxNumber) == onnxNumber }) else {
      return nil
    }
    self = type
  }

  private var onnxType: Onnx__TensorProto__DataType {
    switch self {
    case .float16: ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT16
    case .bfloat16: ONNX__TENSOR_PROTO__DATA_TYPE__BFLOAT16
    case .float32: ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT
    case .float64: ONNX__TENSOR_PROTO__DATA_TYPE__DOUBLE
    case .int8: ONNX__TENSOR_PROTO__DATA_TYPE__INT8
    case .int16: ONNX__TENSOR_PROTO__DATA_TYPE__INT16
    case .int32: ONNX__TENSOR_PROTO__DATA_TYPE__INT32
    case .int64: ONNX__TENSOR_PROTO__DATA_TYPE__INT64
    case .uint8: ONNX__TENSOR_PROTO__DATA_TYPE__UINT8
    case .uint16: ONNX__TENSOR_PROTO__DATA_TYPE__UINT16
    case .uint32: ONNX__TENSOR_PROTO__DATA_TYPE__UINT32
    case .uint64: ONNX__TENSOR_PROTO__DATA_TYPE__UINT64
    case .bool: ONNX__TENSOR_PROTO__DATA_TYPE__BOOL
    }
  }
}
