package import Bytes
import CWBM
import Digests
package import ProtobufWire
import TensorEncoding

// Each record declares its fields with the numbers of the schema, once for reading and writing.
// Errors are found in this order.

extension WBMHeader: MessageRecord {
  /// Creates an empty header.
  package init() { self.init(graph: WBMGraph(), provenance: WBMProvenance()) }

  /// Returns the header's bytes in the file.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` when a string contains a NUL or an index does
  ///   not fit the schema.
  package func serialized() throws(WeighbridgeError) -> [UInt8] {
    try serialized(as: Self.descriptor())
  }

  /// Returns the size of the result of ``serialized()`` in bytes.
  ///
  /// - Throws: As ``serialized()``.
  package func serializedByteCount() throws(WeighbridgeError) -> Int {
    try serializedByteCount(as: Self.descriptor())
  }

  /// Reads a header and checks its syntax; the rules between its parts are checked by
  /// ``checkRules()``.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed``, ``WeighbridgeError/Code/unsupported`` for parts
  ///   unknown to this version, ``WeighbridgeError/Code/limitExceeded``.
  package init(_ bytes: RawSpan, limits: ProtobufLimits) throws(WeighbridgeError) {
    let descriptor = try Self.descriptor()
    // Fields 4, 5 and 7: the description, the provenance and the compaction.
    try ProtobufScanner.scan(bytes, as: descriptor, keepingUnknownIn: [4, 5, 7], limits: limits)
    try self.init(bytes, as: descriptor)
  }

  private static func descriptor() throws(WeighbridgeError) -> MessageDescriptor {
    guard let descriptor = unsafe MessageDescriptor(wbm_header_descriptor()) else {
      throw .unsupported("this build of Weighbridge has no .wbm schema")
    }
    return descriptor
  }

  package mutating func code(_ fields: MessageFields) throws(WeighbridgeError) {
    let missing = "the header lacks its graph, description or provenance"
    fields.bytes(1, &schema)
    try fields.record(2, &graph, orThrow: missing)
    try fields.records(3, &tensors)
    try fields.record(4, &description, orThrow: missing)
    try fields.record(5, &provenance, orThrow: missing)
    try fields.records(6, &references)
    try fields.record(7, &compaction)
    try fields.record(8, &quantization)
  }
}

extension WBMTensor: MessageRecord {
  package init() { self.init(name: "", elementType: .float32, shape: []) }

  package mutating func code(_ fields: MessageFields) throws(WeighbridgeError) {
    try fields.string(1, &name)
    try fields.choice(2, &elementType, "element type")
    try encoding.code(fields)
    try fields.counts(4, &shape, "a size of tensor \(name)")
    try fields.count(5, &offset, "the offset of tensor \(name)")
    try fields.count(6, &byteCount, "the size of tensor \(name)")
    var bytes = digest?.bytes ?? [UInt8](repeating: 0, count: 16)
    fields.bytes(7, &bytes)
    var decodedBytes = decodedDigest?.bytes ?? []
    fields.bytes(8, &decodedBytes)
    if fields.isReading { try readDigests(bytes, decodedBytes) }
  }

  private mutating func readDigests(
    _ bytes: [UInt8], _ decodedBytes: [UInt8]
  ) throws(WeighbridgeError) {
    digest = XXH3Digest(bytes)
    guard digest != nil else {
      throw .malformed("the digest of tensor \(name) has \(bytes.count) bytes, expected 16")
    }
    decodedDigest = XXH3Digest(decodedBytes)
    guard encoding == .plain ? decodedBytes.isEmpty : decodedDigest != nil else {
      throw .malformed(
        "the digest of the decoded tensor \(name) has \(decodedBytes.count) bytes, expected "
          + (encoding == .plain ? "0" : "16"))
    }
  }
}

extension WBMReferenceSet: MessageRecord {
  package init() {
    self.init(by: "", inputs: [], outputs: [], tolerance: WBMTolerance())
  }

  package mutating func code(_ fields: MessageFields) throws(WeighbridgeError) {
    try fields.string(1, &by)
    try fields.records(2, &inputs)
    try fields.records(3, &outputs)
    try fields.records(4, &layerOutputs)
    try fields.record(5, &tolerance, orThrow: "a reference set has no tolerance")
  }
}

extension WBMTolerance: MessageRecord {
  package init() { self.init(absolute: 0, relative: 0, source: .standard) }

  package mutating func code(_ fields: MessageFields) throws(WeighbridgeError) {
    fields.number(1, &absolute)
    fields.number(2, &relative)
    try fields.choice(3, &source, "source of a tolerance")
    try fields.number(4, &relativeL2)
  }
}

extension WBMNamedTensor: MessageRecord {
  package init() { self.init(name: "", tensor: 0) }

  package mutating func code(_ fields: MessageFields) throws(WeighbridgeError) {
    try fields.string(1, &name)
    try fields.count(2, &tensor, "a tensor's position")
  }
}
