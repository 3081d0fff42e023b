package import Bytes
package import ProtobufWire

extension WBMDescription: MessageRecord {
  package init() { self.init(inputs: []) }

  package mutating func code(_ fields: MessageFields) throws(WeighbridgeError) {
    try fields.string(1, &name)
    try fields.string(2, &author)
    try fields.record(3, &license)
    try fields.string(4, &version)
    try fields.string(5, &shortDescription)
    try fields.records(6, &inputs)
    try fields.records(10, &outputs)
    try fields.strings(7, &classLabels)
    try fields.record(8, &detector)
    try fields.records(9, &userDefined)
    fields.unknown(&unknownFields)
  }
}

extension WBMLicense: MessageRecord {
  package init() { self.init(text: "") }

  package mutating func code(_ fields: MessageFields) throws(WeighbridgeError) {
    try fields.string(1, &text)
    try fields.string(2, &spdx)
    try fields.string(3, &note)
    fields.unknown(&unknownFields)
  }
}

extension WBMKeyValue: MessageRecord {
  package init() { self.init(key: "", value: "") }

  package mutating func code(_ fields: MessageFields) throws(WeighbridgeError) {
    try fields.string(1, &key)
    try fields.string(2, &value)
    fields.unknown(&unknownFields)
  }
}

extension WBMFeature: MessageRecord {
  package init() { self.init(name: "") }

  package mutating func code(_ fields: MessageFields) throws(WeighbridgeError) {
    try fields.string(1, &name)
    try fields.string(2, &description)
    try fields.record(3, &image)
    try fields.number(4, &defaultValue)
    fields.unknown(&unknownFields)
  }
}

extension WBMImage: MessageRecord {
  package init() {
    self.init(colorOrder: .rgb, scale: 1, bias: [], layout: .channelsLast)
  }

  package mutating func code(_ fields: MessageFields) throws(WeighbridgeError) {
    try fields.choice(1, &colorOrder, "color order")
    fields.number(2, &scale)
    try fields.numbers(3, &bias)
    try fields.choice(4, &resize, "resize policy")
    try fields.choice(5, &layout, "data layout")
    fields.unknown(&unknownFields)
  }
}
