package import Bytes
import DetectorRecord
package import ProtobufWire
package import TensorEncoding

extension TensorEncoding {
  /// The encodings, named as in the schema.
  private enum Kind: SchemaEnumeration {
    case plain, float16, bfloat16, bytePlanes, linear, lookup, rans
  }

  private var kind: Kind {
    switch self {
    case .plain: .plain
    case .half(.float16): .float16
    case .half: .bfloat16
    case .bytePlanes: .bytePlanes
    case .linear: .linear
    case .lookup: .lookup
    case .rans: .rans
    }
  }

  /// Reads or writes the encoding in a tensor's message, with its parameters.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when the parameters are not those of the
  ///   encoding, ``WeighbridgeError/Code/unsupported`` for an encoding unknown to this version.
  mutating func code(_ fields: MessageFields) throws(WeighbridgeError) {
    var (kind, linear, lookup): (Kind, LinearIntegers?, LookupTables?) = (kind, nil, nil)
    if case .linear(let integers) = self { linear = integers }
    if case .lookup(let tables) = self { lookup = tables }
    try fields.choice(3, &kind, "tensor encoding")
    try fields.record(9, &linear)
    try fields.record(10, &lookup)
    if fields.isReading { self = try Self(kind, linear, lookup) }
  }

  private init(
    _ kind: Kind, _ linear: LinearIntegers?, _ lookup: LookupTables?
  ) throws(WeighbridgeError) {
    switch (kind, linear, lookup) {
    case (.linear, let linear?, _): self = .linear(linear)
    case (.lookup, _, let lookup?): self = .lookup(lookup)
    case (.linear, _, _), (.lookup, _, _):
      throw .malformed("a tensor lacks the parameters of its encoding")
    case (.plain, nil, nil): self = .plain
    case (.float16, nil, nil): self = .half(.float16)
    case (.bfloat16, nil, nil): self = .half(.bfloat16)
    case (.bytePlanes, nil, nil): self = .bytePlanes
    case (.rans, nil, nil): self = .rans
    default:
      throw .malformed("a tensor has the parameters of another encoding, which it must not have")
    }
  }
}

extension LinearIntegers: MessageRecord {
  package init() { self.init(bits: 0, isSigned: false, blockShape: []) }

  package mutating func code(_ fields: MessageFields) throws(WeighbridgeError) {
    try fields.count(1, &bits, "a number of bits")
    fields.boolean(2, &isSigned)
    try fields.counts(3, &blockShape, "the size of a block")
    fields.boolean(4, &hasZeroPoints)
    fields.boolean(5, &hasOffsets)
  }
}

extension LookupTables: MessageRecord {
  package init() { self.init(bits: 0, blockShape: []) }

  package mutating func code(_ fields: MessageFields) throws(WeighbridgeError) {
    try fields.count(1, &bits, "a number of bits")
    try fields.counts(2, &blockShape, "the size of a block")
  }
}
