import Bytes
import CONNX
import ProtobufWire

// Each record becomes its message of Schemas/onnx.proto.

extension ONNXModel {
  /// The model's bytes without its graph.
  func packedHead() throws(WeighbridgeError) -> [UInt8] {
    var record: ProtobufRecord = [
      "ir_version": .integer(irVersion), "producer_name": .text(producerName),
      "producer_version": .text(producerVersion),
      "opset_import": .records([["domain": .text(""), "version": .integer(opset)]]),
      "metadata_props": .records(
        metadata.map { ["key": .text($0.key), "value": .text($0.value)] }),
    ]
    record["doc_string"] = summary.map { .text($0) }
    return try record.packed(as: onnx_model_descriptor())
  }
}

extension ONNXGraph {
  /// The graph's bytes without its initializers.
  func packedHead() throws(WeighbridgeError) -> [UInt8] {
    try record.packed(as: onnx_graph_descriptor())
  }

  fileprivate var record: ProtobufRecord {
    var record: ProtobufRecord = [
      "name": .text(name), "node": .records(nodes.map(\.record)),
      "input": .records(inputs.map(\.record)), "output": .records(outputs.map(\.record)),
    ]
    record["doc_string"] = summary.map { .text($0) }
    return record
  }
}

extension ONNXNode {
  fileprivate var record: ProtobufRecord {
    let settings = attributes.map { entry in
      let (type, field, value) = entry.value.field
      return ["name": .text(entry.name), "type": .choice(type), field: value] as ProtobufRecord
    }
    return [
      "name": .text(name), "op_type": .text(operation), "input": .texts(inputs),
      "output": .texts(outputs), "attribute": .records(settings),
    ]
  }
}

extension ONNXAttribute {
  /// The name of the type, and the field that contains the value.
  fileprivate var field: (type: String, name: String, value: ProtobufValue) {
    switch self {
    case .integer(let number): ("INT", "i", .integer(number))
    case .real(let number): ("FLOAT", "f", .real(number))
    case .text(let text): ("STRING", "s", .text(text))
    case .integers(let numbers): ("INTS", "ints", .integers(numbers))
    case .reals(let numbers): ("FLOATS", "floats", .reals(numbers))
    case .texts(let texts): ("STRINGS", "strings", .texts(texts))
    case .graph(let graph): ("GRAPH", "g", .record(graph.record))
    case .tensor, .other: preconditionFailure("this is in files that are read only")
    }
  }
}

extension ONNXFeature {
  fileprivate var record: ProtobufRecord {
    let dimensions = shape.enumerated().map { axis, dimension -> ProtobufRecord in
      var record = dimension.record
      if axis < axisDenotations.count { record["denotation"] = .text(axisDenotations[axis]) }
      return record
    }
    let tensor: ProtobufRecord = [
      "elem_type": .integer(Int(elementType.onnxNumber)),
      "shape": .record(["dim": .records(dimensions)]),
    ]
    var type: ProtobufRecord = ["tensor_type": .record(tensor)]
    type["denotation"] = denotation.map { .text($0) }
    var record: ProtobufRecord = ["name": .text(name), "type": .record(type)]
    record["doc_string"] = summary.map { .text($0) }
    return record
  }
}

extension ONNXFeature.Dimension {
  fileprivate var record: ProtobufRecord {
    switch self {
    case .fixed(let size): ["dim_value": .integer(size)]
    case .named(let name): ["dim_param": .text(name)]
    case .unknown: [:]
    }
  }
}

extension ONNXInitializer {
  /// The location of elements in the file of external data.
  struct Location {
    let fileName: String
    let offset: Int
  }

  /// The ONNX numbers of the 4-bit integer types, by their element types here.
  static let packedNumbers: [ElementType: Int] = [.uint8: 21, .int8: 22]

  /// The size of the elements in the file in bytes.
  package var byteCount: Int {
    isPacked ? (shape.reduce(1, *) + 1) / 2 : shape.reduce(elementType.byteCount, *)
  }

  /// The tensor's bytes without its elements.
  ///
  /// - Parameter location: The location of the elements, when they are in another file.
  func packedHead(_ location: Location?) throws(WeighbridgeError) -> [UInt8] {
    var record: ProtobufRecord = [
      "dims": .integers(shape),
      "data_type": .integer(
        isPacked ? Self.packedNumbers[elementType] ?? 0 : Int(elementType.onnxNumber)),
      "name": .text(name),
    ]
    if let location {
      record["data_location"] = .choice("EXTERNAL")
      record["external_data"] = .records([
        ["key": .text("location"), "value": .text(location.fileName)],
        ["key": .text("offset"), "value": .text("\(location.offset)")],
        ["key": .text("length"), "value": .text("\(byteCount)")],
      ])
    }
    return try record.packed(as: onnx_tensor_descriptor())
  }
}

extension ProtobufRecord {
  fileprivate func packed(
    as descriptor: ProtobufScanner.Descriptor?
  ) throws(WeighbridgeError) -> [UInt8] {
    guard let descriptor else { preconditionFailure("the compiled schema lacks a message") }
    return try ProtobufPieces.bytes(self, as: descriptor)
  }
}

extension ElementType {
  /// The number of the type in ONNX.
  package var onnxNumber: Int32 { Int32(bitPattern: onnxType.rawValue) }

  /// Makes the type with a number in ONNX; `nil` for strings, complex numbers and unsupported small
  /// types.
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
