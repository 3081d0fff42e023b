package import Bytes
package import ProtobufWire

extension WBMQuantization: MessageRecord {
  package init() { self.init(nodes: []) }

  package mutating func code(_ fields: MessageFields) throws(WeighbridgeError) {
    try fields.records(1, &nodes)
    try fields.records(2, &bfloat16Nodes)
  }
}

extension WBMQuantization.BFloat16Node: MessageRecord {
  package init() { self.init(name: "", input: 0) }

  package mutating func code(_ fields: MessageFields) throws(WeighbridgeError) {
    try fields.string(1, &name)
    try fields.count(2, &input, "the bfloat16 input of node \(name)")
  }
}

extension WBMQuantization.Node: MessageRecord {
  package init() { self.init(name: "", scale: 0, zeroPoint: 0, method: .maximum) }

  package mutating func code(_ fields: MessageFields) throws(WeighbridgeError) {
    try fields.string(1, &name)
    fields.number(2, &scale)
    try fields.count(3, &zeroPoint, "the zero point of node \(name)")
    try fields.choice(4, &method, "method of node \(name)")
    try fields.count(5, &input, "the quantized input of node \(name)")
  }
}
