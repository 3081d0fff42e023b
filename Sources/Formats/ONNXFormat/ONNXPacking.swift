import Bytes
import CONNX
import ProtobufWire

// Each record is packed into its message of Schemas/onnx.proto. `MessageArena` owns what is packed.

extension ONNXModel {
  /// The model's bytes without its graph.
  func packedHead() throws(WeighbridgeError) -> [UInt8] {
    let arena = MessageArena()
    let message = arena.message(onnx__model_proto__init)
    message.pointee.has_ir_version = 1
    message.pointee.ir_version = Int64(irVersion)
    message.pointee.producer_name = try arena.text(producerName)
    message.pointee.producer_version = try arena.text(producerVersion)
    if let summary { message.pointee.doc_string = try arena.text(summary) }
    message.pointee.n_opset_import = 1
    message.pointee.opset_import = try arena.list([opset]) { (version) throws(WeighbridgeError) in
      let operators = arena.message(onnx__operator_set_id_proto__init)
      operators.pointee.domain = try arena.text("")
      operators.pointee.has_version = 1
      operators.pointee.version = Int64(version)
      return operators
    }
    message.pointee.n_metadata_props = metadata.count
    message.pointee.metadata_props = try arena.list(metadata) { (entry) throws(WeighbridgeError) in
      try arena.entry(entry.key, entry.value)
    }
    return arena.serialized(message)
  }
}

extension ONNXGraph {
  /// The graph's bytes without its initializers.
  func packedHead() throws(WeighbridgeError) -> [UInt8] {
    let arena = MessageArena()
    return arena.serialized(try packed(in: arena))
  }

  fileprivate func packed(
    in arena: MessageArena
  ) throws(WeighbridgeError) -> UnsafeMutablePointer<Onnx__GraphProto> {
    let message = arena.message(onnx__graph_proto__init)
    message.pointee.name = try arena.text(name)
    if let summary { message.pointee.doc_string = try arena.text(summary) }
    message.pointee.n_node = nodes.count
    message.pointee.node = try arena.list(nodes) { (node) throws(WeighbridgeError) in
      try node.packed(in: arena)
    }
    message.pointee.n_input = inputs.count
    message.pointee.input = try arena.list(inputs) { (feature) throws(WeighbridgeError) in
      try feature.packed(in: arena)
    }
    message.pointee.n_output = outputs.count
    message.pointee.output = try arena.list(outputs) { (feature) throws(WeighbridgeError) in
      try feature.packed(in: arena)
    }
    return message
  }
}

extension ONNXNode {
  fileprivate func packed(
    in arena: MessageArena
  ) throws(WeighbridgeError) -> UnsafeMutablePointer<Onnx__NodeProto> {
    let message = arena.message(onnx__node_proto__init)
    message.pointee.name = try arena.text(name)
    message.pointee.op_type = try arena.text(operation)
    message.pointee.n_input = inputs.count
    message.pointee.input = try arena.texts(inputs)
    message.pointee.n_output = outputs.count
    message.pointee.output = try arena.texts(outputs)
    message.pointee.n_attribute = attributes.count
    message.pointee.attribute = try arena.list(attributes) { (entry) throws(WeighbridgeError) in
      let attribute = try entry.value.packed(in: arena)
      attribute.pointee.name = try arena.text(entry.name)
      return attribute
    }
    return message
  }
}

extension ONNXAttribute {
  fileprivate func packed(
    in arena: MessageArena
  ) throws(WeighbridgeError) -> UnsafeMutablePointer<Onnx__AttributeProto> {
    let message = arena.message(onnx__attribute_proto__init)
    message.pointee.has_type = 1
    switch self {
    case .integer(let number):
      message.pointee.type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT
      message.pointee.has_i = 1
      message.pointee.i = Int64(number)
    case .real(let number):
      message.pointee.type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT
      message.pointee.has_f = 1
      message.pointee.f = Float(number)
    case .text(let text):
      message.pointee.type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING
      message.pointee.s = try arena.text(text)
    case .integers(let numbers):
      message.pointee.type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS
      message.pointee.n_ints = numbers.count
      message.pointee.ints = arena.numbers(numbers.map(Int64.init))
    case .reals(let numbers):
      message.pointee.type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOATS
      message.pointee.n_floats = numbers.count
      message.pointee.floats = arena.numbers(numbers.map(Float.init))
    case .texts(let texts):
      message.pointee.type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRINGS
      message.pointee.n_strings = texts.count
      message.pointee.strings = try arena.texts(texts)
    case .graph(let graph):
      message.pointee.type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__GRAPH
      message.pointee.g = try graph.packed(in: arena)
    case .tensor, .other: preconditionFailure("this is in files that are read only")
    }
    return message
  }
}

extension ONNXFeature {
  fileprivate func packed(
    in arena: MessageArena
  ) throws(WeighbridgeError) -> UnsafeMutablePointer<Onnx__ValueInfoProto> {
    let message = arena.message(onnx__value_info_proto__init)
    message.pointee.name = try arena.text(name)
    if let summary { message.pointee.doc_string = try arena.text(summary) }
    let tensor = arena.message(onnx__type_proto__tensor__init)
    tensor.pointee.has_elem_type = 1
    tensor.pointee.elem_type = elementType.onnxNumber
    let dimensions = arena.message(onnx__tensor_shape_proto__init)
    dimensions.pointee.n_dim = shape.count
    dimensions.pointee.dim = try arena.list(Array(shape.indices)) {
      (axis) throws(WeighbridgeError) in
      let dimension = try shape[axis].packed(in: arena)
      if axis < axisDenotations.count {
        dimension.pointee.denotation = try arena.text(axisDenotations[axis])
      }
      return dimension
    }
    tensor.pointee.shape = dimensions
    let type = arena.message(onnx__type_proto__init)
    type.pointee.value_case = ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE
    type.pointee.tensor_type = tensor
    if let denotation { type.pointee.denotation = try arena.text(denotation) }
    message.pointee.type = type
    return message
  }
}

extension ONNXFeature.Dimension {
  fileprivate func packed(
    in arena: MessageArena
  ) throws(WeighbridgeError) -> UnsafeMutablePointer<Onnx__TensorShapeProto__Dimension> {
    let message = arena.message(onnx__tensor_shape_proto__dimension__init)
    switch self {
    case .fixed(let dimension):
      message.pointee.value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE
      message.pointee.dim_value = Int64(dimension)
    case .named(let name):
      message.pointee.value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM
      message.pointee.dim_param = try arena.text(name)
    case .unknown: break
    }
    return message
  }
}

extension ONNXInitializer {
  /// Where elements lie in the file of external data.
  struct Location {
    let fileName: String
    let offset: Int
  }

  /// The number of bytes of the elements.
  package var byteCount: Int { shape.reduce(elementType.byteCount, *) }

  /// The tensor's bytes without its elements.
  ///
  /// - Parameter location: Where they are, when they are in another file.
  func packedHead(_ location: Location?) throws(WeighbridgeError) -> [UInt8] {
    let arena = MessageArena()
    let message = arena.message(onnx__tensor_proto__init)
    message.pointee.n_dims = shape.count
    message.pointee.dims = arena.numbers(shape.map(Int64.init))
    message.pointee.has_data_type = 1
    message.pointee.data_type = elementType.onnxNumber
    message.pointee.name = try arena.text(name)
    if let location {
      message.pointee.has_data_location = 1
      message.pointee.data_location = ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL
      let entries = [
        ("location", location.fileName), ("offset", "\(location.offset)"),
        ("length", "\(byteCount)"),
      ]
      message.pointee.n_external_data = entries.count
      message.pointee.external_data = try arena.list(entries) { (entry) throws(WeighbridgeError) in
        try arena.entry(entry.0, entry.1)
      }
    }
    return arena.serialized(message)
  }
}

extension MessageArena {
  fileprivate func entry(
    _ key: String, _ value: String
  ) throws(WeighbridgeError) -> UnsafeMutablePointer<Onnx__StringStringEntryProto> {
    let message = message(onnx__string_string_entry_proto__init)
    message.pointee.key = try text(key)
    message.pointee.value = try text(value)
    return message
  }
}

extension ElementType {
  /// The number of the type in ONNX.
  package var onnxNumber: Int32 { Int32(bitPattern: onnxType.rawValue) }

  /// The type of a number in ONNX; `nil` for texts, complex numbers and the types of fewer than 16
  /// bits that are not whole bytes.
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
