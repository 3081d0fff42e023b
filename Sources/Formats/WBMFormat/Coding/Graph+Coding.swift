package import Bytes
package import ProtobufWire

extension WBMGraph: MessageRecord {
  package init() { self.init(values: []) }

  package mutating func code(_ fields: MessageFields) throws(WeighbridgeError) {
    try fields.records(1, &values)
    try fields.records(2, &nodes)
    try fields.records(3, &inputs)
    try fields.records(4, &outputs)
  }
}

extension WBMValue: MessageRecord {
  package init() { self.init(name: "", elementType: .float32, dimensions: []) }

  package mutating func code(_ fields: MessageFields) throws(WeighbridgeError) {
    try fields.string(1, &name)
    try fields.choice(2, &elementType, "element type")
    try fields.records(3, &dimensions)
    try fields.count(4, &tensor, "the tensor of value \(name)")
  }
}

extension WBMDimension: MessageRecord {
  package init() { self = .unknown }

  package mutating func code(_ fields: MessageFields) throws(WeighbridgeError) {
    var (size, name): (Int?, String?) = (nil, nil)
    if case .fixed(let fixed) = self { size = fixed }
    if case .symbol(let symbol) = self { name = symbol }
    try fields.count(1, &size, "the size of a dimension")
    try fields.string(2, &name)
    self = size.map(Self.fixed) ?? name.map(Self.symbol) ?? .unknown
  }
}

extension WBMPort: MessageRecord {
  package init() { self.init(name: "", value: 0) }

  package mutating func code(_ fields: MessageFields) throws(WeighbridgeError) {
    try fields.string(1, &name)
    try fields.count(2, &value, "the value of port \(name)")
  }
}

extension WBMNode: MessageRecord {
  package init() {
    self.init(kind: "", version: 1, name: "", inputs: [], outputs: [])
  }

  package mutating func code(_ fields: MessageFields) throws(WeighbridgeError) {
    try fields.string(1, &kind)
    try fields.count(2, &version, "the version of node \(name)")
    try fields.string(3, &name)
    try fields.counts(4, &inputs, "an input of node \(name)")
    try fields.counts(5, &outputs, "an output of node \(name)")
    try fields.records(6, &attributes)
    try fields.records(7, &subgraphs)
    try fields.record(8, &scope)
  }
}

extension WBMScope: MessageRecord {
  package init() { self.init(layerPath: "", className: "", call: 0, role: "") }

  package mutating func code(_ fields: MessageFields) throws(WeighbridgeError) {
    try fields.string(1, &layerPath)
    try fields.string(2, &className)
    try fields.count(3, &call, "the call of layer \(layerPath)")
    try fields.string(4, &role)
  }
}
