import Bytes
import CWBM
import ProtobufWire

extension WBMNode {
  func packed(
    in arena: MessageArena
  ) throws(WeighbridgeError) -> UnsafeMutablePointer<Weighbridge__V1__Node> {
    let message = arena.message(weighbridge__v1__node__init)
    message.pointee.kind = try arena.text(kind)
    message.pointee.version = try SchemaNumber.of(version, "the version of node \(name)")
    message.pointee.name = try arena.text(name)
    message.pointee.n_inputs = inputs.count
    message.pointee.inputs = arena.numbers(
      try SchemaNumber.list(inputs, UInt32.self, "an input of node \(name)"))
    message.pointee.n_outputs = outputs.count
    message.pointee.outputs = arena.numbers(
      try SchemaNumber.list(outputs, UInt32.self, "an output of node \(name)"))
    message.pointee.n_attributes = attributes.count
    message.pointee.attributes = try arena.list(attributes) { (setting) throws(WeighbridgeError) in
      try setting.packed(in: arena)
    }
    message.pointee.n_subgraphs = subgraphs.count
    message.pointee.subgraphs = try arena.list(subgraphs) { (graph) throws(WeighbridgeError) in
      try graph.packed(in: arena)
    }
    if let scope { message.pointee.scope = try scope.packed(in: arena) }
    return message
  }

  init(_ message: Weighbridge__V1__Node) throws(WeighbridgeError) {
    kind = MessageParts.text(message.kind)
    version = Int(message.version)
    name = MessageParts.text(message.name)
    inputs = MessageParts.numbers(message.n_inputs, message.inputs).map { Int($0) }
    outputs = MessageParts.numbers(message.n_outputs, message.outputs).map { Int($0) }
    attributes = try MessageParts.list(
      message.n_attributes, message.attributes, WBMAttribute.init)
    subgraphs = try MessageParts.list(message.n_subgraphs, message.subgraphs, WBMGraph.init)
    scope = message.scope.map { WBMScope($0.pointee) }
  }
}

extension WBMScope {
  fileprivate func packed(
    in arena: MessageArena
  ) throws(WeighbridgeError) -> UnsafeMutablePointer<Weighbridge__V1__Scope> {
    let message = arena.message(weighbridge__v1__scope__init)
    message.pointee.layer_path = try arena.text(layerPath)
    message.pointee.class_name = try arena.text(className)
    message.pointee.call = try SchemaNumber.of(call, "the call of layer \(layerPath)")
    message.pointee.role = try arena.text(role)
    return message
  }

  fileprivate init(_ message: Weighbridge__V1__Scope) {
    self.init(
      layerPath: MessageParts.text(message.layer_path),
      className: MessageParts.text(message.class_name), call: Int(message.call),
      role: MessageParts.text(message.role))
  }
}
