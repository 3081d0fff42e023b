package import Bytes
package import ProtobufWire

extension WBMCompaction: MessageRecord {
  package init() {
    self.init(
      by: "", request: "", inputs: "", inputCount: 0, originalByteCount: 0, outputs: [], weights: []
    )
  }

  package mutating func code(_ fields: MessageFields) throws(WeighbridgeError) {
    try fields.string(1, &by)
    try fields.string(2, &request)
    try fields.string(3, &inputs)
    try fields.count(4, &inputCount, "the number of inputs")
    try fields.count(5, &originalByteCount, "the size of the weights")
    try fields.records(6, &outputs)
    try fields.records(7, &weights)
    try fields.record(8, &answers)
    try fields.string(9, &caution)
    fields.unknown(&unknownFields)
  }
}

extension WBMCompaction.OutputLoss: MessageRecord {
  package init() { self.init(output: "", worst: 0, mean: 0, bound: 0) }

  package mutating func code(_ fields: MessageFields) throws(WeighbridgeError) {
    try fields.string(1, &output)
    fields.number(2, &worst)
    fields.number(3, &mean)
    fields.number(4, &bound)
  }
}

extension WBMCompaction.WeightLoss: MessageRecord {
  package init() { self.init(tensor: 0, error: 0) }

  package mutating func code(_ fields: MessageFields) throws(WeighbridgeError) {
    try fields.count(1, &tensor, "a tensor's position")
    fields.number(2, &error)
  }
}

extension WBMCompaction.Answers: MessageRecord {
  package init() { self.init(kind: .topClass, kept: 0, total: 0) }

  package mutating func code(_ fields: MessageFields) throws(WeighbridgeError) {
    try fields.choice(1, &kind, "kind of an answer")
    try fields.count(2, &kept, "a number of answers")
    try fields.count(3, &total, "a number of answers")
  }
}
