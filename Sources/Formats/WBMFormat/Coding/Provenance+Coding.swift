import Bytes
import CWBM
import ProtobufWire

extension WBMProvenance {
  func packed(
    in arena: MessageArena
  ) throws(WeighbridgeError) -> UnsafeMutablePointer<Weighbridge__V1__Provenance> {
    let message = arena.message(weighbridge__v1__provenance__init)
    message.pointee.n_sources = sources.count
    message.pointee.sources = try arena.list(sources) { (source) throws(WeighbridgeError) in
      try source.packed(in: arena)
    }
    try packTexts(into: &message.pointee, in: arena)
    message.pointee.n_options = options.count
    message.pointee.options = try arena.list(options) { (pair) throws(WeighbridgeError) in
      try pair.packed(in: arena)
    }
    message.pointee.n_decisions = decisions.count
    message.pointee.decisions = try arena.list(decisions) { (decision) throws(WeighbridgeError) in
      try decision.packed(in: arena)
    }
    arena.keep(unknownFields, in: &message.pointee.base)
    return message
  }

  /// How many bytes the provenance takes in a header, without its own tag and length.
  func serializedByteCount() throws(WeighbridgeError) -> Int {
    let arena = MessageArena()
    return arena.serialized(try packed(in: arena)).count
  }

  private func packTexts(
    into message: inout Weighbridge__V1__Provenance, in arena: MessageArena
  ) throws(WeighbridgeError) {
    if let framework {
      message.framework_presence_case = WEIGHBRIDGE__V1__PROVENANCE__FRAMEWORK_PRESENCE_FRAMEWORK
      message.framework = try arena.text(framework)
    }
    if let frameworkVersion {
      message.framework_version_presence_case =
        WEIGHBRIDGE__V1__PROVENANCE__FRAMEWORK_VERSION_PRESENCE_FRAMEWORK_VERSION
      message.framework_version = try arena.text(frameworkVersion)
    }
    if let backend {
      message.backend_presence_case = WEIGHBRIDGE__V1__PROVENANCE__BACKEND_PRESENCE_BACKEND
      message.backend = try arena.text(backend)
    }
    message.writer = try arena.text(writer)
  }

  init(_ message: Weighbridge__V1__Provenance) throws(WeighbridgeError) {
    self.init(
      sources: try MessageParts.list(message.n_sources, message.sources, WBMSource.init),
      framework: message.framework_presence_case.rawValue == 0
        ? nil : MessageParts.text(message.framework),
      frameworkVersion: message.framework_version_presence_case.rawValue == 0
        ? nil : MessageParts.text(message.framework_version),
      backend: message.backend_presence_case.rawValue == 0
        ? nil : MessageParts.text(message.backend),
      writer: MessageParts.text(message.writer),
      options: try MessageParts.list(message.n_options, message.options, WBMKeyValue.init),
      decisions: try MessageParts.list(
        message.n_decisions, message.decisions, WBMDecision.init))
    unknownFields = MessageParts.unknownFields(message.base)
  }
}

extension WBMSource {
  fileprivate func packed(
    in arena: MessageArena
  ) throws(WeighbridgeError) -> UnsafeMutablePointer<Weighbridge__V1__Source> {
    let message = arena.message(weighbridge__v1__source__init)
    message.pointee.name = try arena.text(name)
    message.pointee.role = try arena.text(role)
    message.pointee.sha256 = arena.bytes(sha256)
    message.pointee.byte_count = try SchemaNumber.of(byteCount, "the size of source \(name)")
    arena.keep(unknownFields, in: &message.pointee.base)
    return message
  }

  fileprivate init(_ message: Weighbridge__V1__Source) throws(WeighbridgeError) {
    self.init(
      name: MessageParts.text(message.name), role: MessageParts.text(message.role),
      sha256: MessageParts.bytes(message.sha256),
      byteCount: try Checked.count(message.byte_count, of: "the size of a source"))
    unknownFields = MessageParts.unknownFields(message.base)
  }
}

extension WBMDecision {
  fileprivate func packed(
    in arena: MessageArena
  ) throws(WeighbridgeError) -> UnsafeMutablePointer<Weighbridge__V1__Decision> {
    let message = arena.message(weighbridge__v1__decision__init)
    message.pointee.layer = try arena.text(layer)
    message.pointee.text = try arena.text(text)
    arena.keep(unknownFields, in: &message.pointee.base)
    return message
  }

  fileprivate init(_ message: Weighbridge__V1__Decision) throws(WeighbridgeError) {
    self.init(layer: MessageParts.text(message.layer), text: MessageParts.text(message.text))
    unknownFields = MessageParts.unknownFields(message.base)
  }
}
