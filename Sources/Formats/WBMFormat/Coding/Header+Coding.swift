package import Bytes
import CWBM
import Digests
package import ProtobufWire
import TensorEncoding

// Each record is packed into its message of the schema and made from it; the order is the schema's.
// `MessageArena` owns what is packed, and an `UnpackedMessage` what is read.

extension WBMHeader {
  /// The header's bytes in the file.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` when a text holds a NUL or an index does not
  ///   fit the schema.
  package func serialized() throws(WeighbridgeError) -> [UInt8] {
    let arena = MessageArena()
    let message = arena.message(weighbridge__v1__header__init)
    message.pointee.schema = arena.bytes(schema)
    message.pointee.graph = try graph.packed(in: arena)
    message.pointee.n_tensors = tensors.count
    message.pointee.tensors = try arena.list(tensors) { (tensor) throws(WeighbridgeError) in
      try tensor.packed(in: arena)
    }
    message.pointee.description = try description.packed(in: arena)
    message.pointee.provenance = try provenance.packed(in: arena)
    message.pointee.n_references = references.count
    message.pointee.references = try arena.list(references) { (set) throws(WeighbridgeError) in
      try set.packed(in: arena)
    }
    message.pointee.compaction = try compaction?.packed(in: arena)
    return arena.serialized(message)
  }

  /// Reads a header's bytes, whose syntax it checks; the rules between its parts are
  /// ``checkRules()``'s.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed``, ``WeighbridgeError/Code/unsupported`` for what
  ///   this version does not know, ``WeighbridgeError/Code/limitExceeded``.
  package init(_ bytes: RawSpan, limits: ProtobufLimits) throws(WeighbridgeError) {
    guard let descriptor = wbm_header_descriptor() else {
      throw WeighbridgeError(.unsupported, "the schema is not in the program")
    }
    // Fields 4, 5 and 7: the description, the provenance and the compaction.
    try ProtobufScanner.scan(bytes, as: descriptor, keepingUnknownIn: [4, 5, 7], limits: limits)
    let unpacked = try UnpackedMessage<Weighbridge__V1__Header>(bytes, as: descriptor)
    self = try unpacked.withMessage { (message) throws(WeighbridgeError) in
      try WBMHeader(message)
    }
  }

  private init(_ message: Weighbridge__V1__Header) throws(WeighbridgeError) {
    guard let graph = message.graph, let description = message.description,
      let provenance = message.provenance
    else {
      throw WeighbridgeError(.malformed, "the header lacks its graph, description or provenance")
    }
    schema = MessageParts.bytes(message.schema)
    self.graph = try WBMGraph(graph.pointee)
    tensors = try MessageParts.list(message.n_tensors, message.tensors, WBMTensor.init)
    self.description = try WBMDescription(description.pointee)
    self.provenance = try WBMProvenance(provenance.pointee)
    references = try MessageParts.list(
      message.n_references, message.references, WBMReferenceSet.init)
    compaction = try message.compaction.map { (compaction) throws(WeighbridgeError) in
      try WBMCompaction(compaction.pointee)
    }
  }
}

extension WBMTensor {
  fileprivate func packed(
    in arena: MessageArena
  ) throws(WeighbridgeError) -> UnsafeMutablePointer<Weighbridge__V1__Tensor> {
    let message = arena.message(weighbridge__v1__tensor__init)
    message.pointee.name = try arena.text(name)
    message.pointee.element_type = .init(elementType.schemaNumber)
    try encoding.pack(into: &message.pointee, in: arena)
    let dimensions = try SchemaNumber.list(shape, UInt64.self, "a size of tensor \(name)")
    message.pointee.n_shape = dimensions.count
    message.pointee.shape = arena.numbers(dimensions)
    message.pointee.offset = try SchemaNumber.of(offset, "the offset of tensor \(name)")
    message.pointee.byte_count = try SchemaNumber.of(byteCount, "the size of tensor \(name)")
    message.pointee.digest = arena.bytes(digest?.bytes ?? [UInt8](repeating: 0, count: 16))
    message.pointee.decoded_digest = arena.bytes(decodedDigest?.bytes ?? [])
    return message
  }

  fileprivate init(_ message: Weighbridge__V1__Tensor) throws(WeighbridgeError) {
    name = MessageParts.text(message.name)
    elementType = try ElementType(schemaNumber: message.element_type.rawValue)
    encoding = try TensorEncoding(message)
    shape = []
    for dimension in MessageParts.numbers(message.n_shape, message.shape) {
      shape.append(try Checked.count(dimension, of: "a size"))
    }
    offset = try Checked.count(message.offset, of: "the offset of tensor \(name)")
    byteCount = try Checked.count(message.byte_count, of: "the size of tensor \(name)")
    digest = XXH3Digest(MessageParts.bytes(message.digest))
    guard digest != nil else {
      throw WeighbridgeError(
        .malformed, "the digest of tensor \(name) has \(message.digest.len) bytes, expected 16")
    }
    decodedDigest = XXH3Digest(MessageParts.bytes(message.decoded_digest))
    guard encoding == .plain ? message.decoded_digest.len == 0 : decodedDigest != nil else {
      throw WeighbridgeError(
        .malformed,
        "the digest of the decoded tensor \(name) has \(message.decoded_digest.len) bytes, expected \(encoding == .plain ? 0 : 16)"
      )
    }
  }
}

extension WBMReferenceSet {
  fileprivate func packed(
    in arena: MessageArena
  ) throws(WeighbridgeError) -> UnsafeMutablePointer<Weighbridge__V1__ReferenceSet> {
    let message = arena.message(weighbridge__v1__reference_set__init)
    func pack(_ tensor: WBMNamedTensor) throws(WeighbridgeError)
      -> UnsafeMutablePointer<Weighbridge__V1__NamedTensor>
    {
      try tensor.packed(in: arena)
    }
    message.pointee.by = try arena.text(by)
    message.pointee.n_inputs = inputs.count
    message.pointee.inputs = try arena.list(inputs, pack)
    message.pointee.n_outputs = outputs.count
    message.pointee.outputs = try arena.list(outputs, pack)
    message.pointee.n_layer_outputs = layerOutputs.count
    message.pointee.layer_outputs = try arena.list(layerOutputs, pack)
    message.pointee.tolerance = tolerance.packed(in: arena)
    return message
  }

  fileprivate init(_ message: Weighbridge__V1__ReferenceSet) throws(WeighbridgeError) {
    by = MessageParts.text(message.by)
    inputs = try MessageParts.list(message.n_inputs, message.inputs, WBMNamedTensor.init)
    outputs = try MessageParts.list(message.n_outputs, message.outputs, WBMNamedTensor.init)
    layerOutputs = try MessageParts.list(
      message.n_layer_outputs, message.layer_outputs, WBMNamedTensor.init)
    guard let tolerance = message.tolerance else {
      throw WeighbridgeError(.malformed, "a reference set has no tolerance")
    }
    self.tolerance = try WBMTolerance(tolerance.pointee)
  }
}

extension WBMTolerance {
  fileprivate func packed(
    in arena: MessageArena
  ) -> UnsafeMutablePointer<Weighbridge__V1__Tolerance> {
    let message = arena.message(weighbridge__v1__tolerance__init)
    message.pointee.absolute = absolute
    message.pointee.relative = relative
    message.pointee.source = .init(source.schemaNumber)
    if let relativeL2 {
      message.pointee.relative_l2_presence_case =
        WEIGHBRIDGE__V1__TOLERANCE__RELATIVE_L2_PRESENCE_RELATIVE_L2
      message.pointee.relative_l2 = relativeL2
    }
    return message
  }

  fileprivate init(_ message: Weighbridge__V1__Tolerance) throws(WeighbridgeError) {
    self.init(
      absolute: message.absolute, relative: message.relative,
      relativeL2: message.relative_l2_presence_case.rawValue == 0 ? nil : message.relative_l2,
      source: try Source(schemaNumber: message.source.rawValue))
  }
}

extension WBMNamedTensor {
  fileprivate func packed(
    in arena: MessageArena
  ) throws(WeighbridgeError) -> UnsafeMutablePointer<Weighbridge__V1__NamedTensor> {
    let message = arena.message(weighbridge__v1__named_tensor__init)
    message.pointee.name = try arena.text(name)
    message.pointee.tensor = try SchemaNumber.of(tensor, "a tensor's position")
    return message
  }

  fileprivate init(_ message: Weighbridge__V1__NamedTensor) throws(WeighbridgeError) {
    self.init(name: MessageParts.text(message.name), tensor: Int(message.tensor))
  }
}
