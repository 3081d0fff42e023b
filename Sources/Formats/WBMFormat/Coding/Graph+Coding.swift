import Bytes
import CWBM
import ProtobufWire

extension WBMGraph {
  func packed(
    in arena: MessageArena
  ) throws(WeighbridgeError) -> UnsafeMutablePointer<Weighbridge__V1__Graph> {
    let message = arena.message(weighbridge__v1__graph__init)
    message.pointee.n_values = values.count
    message.pointee.values = try arena.list(values) { (value) throws(WeighbridgeError) in
      try value.packed(in: arena)
    }
    message.pointee.n_nodes = nodes.count
    message.pointee.nodes = try arena.list(nodes) { (node) throws(WeighbridgeError) in
      try node.packed(in: arena)
    }
    message.pointee.n_inputs = inputs.count
    message.pointee.inputs = try arena.list(inputs) { (port) throws(WeighbridgeError) in
      try port.packed(in: arena)
    }
    message.pointee.n_outputs = outputs.count
    message.pointee.outputs = try arena.list(outputs) { (port) throws(WeighbridgeError) in
      try port.packed(in: arena)
    }
    return message
  }

  init(_ message: Weighbridge__V1__Graph) throws(WeighbridgeError) {
    values = try MessageParts.list(message.n_values, message.values, WBMValue.init)
    nodes = try MessageParts.list(message.n_nodes, message.nodes, WBMNode.init)
    inputs = try MessageParts.list(message.n_inputs, message.inputs, WBMPort.init)
    outputs = try MessageParts.list(message.n_outputs, message.outputs, WBMPort.init)
  }
}

extension WBMValue {
  fileprivate func packed(
    in arena: MessageArena
  ) throws(WeighbridgeError) -> UnsafeMutablePointer<Weighbridge__V1__Value> {
    let message = arena.message(weighbridge__v1__value__init)
    message.pointee.name = try arena.text(name)
    message.pointee.element_type = .init(elementType.schemaNumber)
    message.pointee.n_dimensions = dimensions.count
    message.pointee.dimensions = try arena.list(dimensions) {
      (dimension) throws(WeighbridgeError) in
      try dimension.packed(in: arena)
    }
    if let tensor {
      message.pointee.constant_case = WEIGHBRIDGE__V1__VALUE__CONSTANT_TENSOR
      message.pointee.tensor = try SchemaNumber.of(tensor, "the tensor of value \(name)")
    }
    return message
  }

  fileprivate init(_ message: Weighbridge__V1__Value) throws(WeighbridgeError) {
    name = MessageParts.text(message.name)
    elementType = try ElementType(schemaNumber: message.element_type.rawValue)
    dimensions = try MessageParts.list(
      message.n_dimensions, message.dimensions, WBMDimension.init)
    let isConstant = message.constant_case == WEIGHBRIDGE__V1__VALUE__CONSTANT_TENSOR
    tensor = isConstant ? Int(message.tensor) : nil
  }
}

extension WBMDimension {
  fileprivate func packed(
    in arena: MessageArena
  ) throws(WeighbridgeError) -> UnsafeMutablePointer<Weighbridge__V1__Dimension> {
    let message = arena.message(weighbridge__v1__dimension__init)
    switch self {
    case .fixed(let size):
      message.pointee.size_case = WEIGHBRIDGE__V1__DIMENSION__SIZE_FIXED
      message.pointee.fixed = Int64(size)
    case .symbol(let name):
      message.pointee.size_case = WEIGHBRIDGE__V1__DIMENSION__SIZE_SYMBOL
      message.pointee.symbol = try arena.text(name)
    case .unknown: break
    }
    return message
  }

  fileprivate init(_ message: Weighbridge__V1__Dimension) throws(WeighbridgeError) {
    switch message.size_case {
    case WEIGHBRIDGE__V1__DIMENSION__SIZE_FIXED:
      self = .fixed(try Checked.count(message.fixed, of: "the size of a dimension"))
    case WEIGHBRIDGE__V1__DIMENSION__SIZE_SYMBOL:
      self = .symbol(MessageParts.text(message.symbol))
    default: self = .unknown
    }
  }
}

extension WBMPort {
  fileprivate func packed(
    in arena: MessageArena
  ) throws(WeighbridgeError) -> UnsafeMutablePointer<Weighbridge__V1__Port> {
    let message = arena.message(weighbridge__v1__port__init)
    message.pointee.name = try arena.text(name)
    message.pointee.value = try SchemaNumber.of(value, "the value of port \(name)")
    return message
  }

  fileprivate init(_ message: Weighbridge__V1__Port) throws(WeighbridgeError) {
    self.init(name: MessageParts.text(message.name), value: Int(message.value))
  }
}
