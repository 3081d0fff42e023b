package import Bytes
package import ProtobufWire

extension WBMProvenance: MessageRecord {
  package init() { self.init(writer: "") }

  package mutating func code(_ fields: MessageFields) throws(WeighbridgeError) {
    try fields.records(1, &sources)
    try fields.string(2, &framework)
    try fields.string(3, &frameworkVersion)
    try fields.string(4, &backend)
    try fields.string(5, &writer)
    try fields.records(6, &options)
    try fields.records(7, &decisions)
    fields.unknown(&unknownFields)
  }
}

extension WBMSource: MessageRecord {
  package init() { self.init(name: "", role: "", sha256: [], byteCount: 0) }

  package mutating func code(_ fields: MessageFields) throws(WeighbridgeError) {
    try fields.string(1, &name)
    try fields.string(2, &role)
    fields.bytes(3, &sha256)
    try fields.count(4, &byteCount, "the size of source \(name)")
    fields.unknown(&unknownFields)
  }
}

extension WBMDecision: MessageRecord {
  package init() { self.init(layer: "", text: "") }

  package mutating func code(_ fields: MessageFields) throws(WeighbridgeError) {
    try fields.string(1, &layer)
    try fields.string(2, &text)
    fields.unknown(&unknownFields)
  }
}
