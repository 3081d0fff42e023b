import Bytes
import CWBM
import ProtobufWire

extension WBMDescription {
  func packed(
    in arena: MessageArena
  ) throws(WeighbridgeError) -> UnsafeMutablePointer<Weighbridge__V1__Description> {
    let message = arena.message(weighbridge__v1__description__init)
    try packTexts(into: &message.pointee, in: arena)
    if let license { message.pointee.license = try license.packed(in: arena) }
    message.pointee.n_inputs = inputs.count
    message.pointee.inputs = try arena.list(inputs) { (feature) throws(WeighbridgeError) in
      try feature.packed(in: arena)
    }
    message.pointee.n_outputs = outputs.count
    message.pointee.outputs = try arena.list(outputs) { (feature) throws(WeighbridgeError) in
      try feature.packed(in: arena)
    }
    message.pointee.n_class_labels = classLabels.count
    message.pointee.class_labels = try arena.texts(classLabels)
    if let detector { message.pointee.detector = try detector.packed(in: arena) }
    message.pointee.n_user_defined = userDefined.count
    message.pointee.user_defined = try arena.list(userDefined) { (pair) throws(WeighbridgeError) in
      try pair.packed(in: arena)
    }
    arena.keep(unknownFields, in: &message.pointee.base)
    return message
  }

  private func packTexts(
    into message: inout Weighbridge__V1__Description, in arena: MessageArena
  ) throws(WeighbridgeError) {
    if let name {
      message.name_presence_case = WEIGHBRIDGE__V1__DESCRIPTION__NAME_PRESENCE_NAME
      message.name = try arena.text(name)
    }
    if let author {
      message.author_presence_case = WEIGHBRIDGE__V1__DESCRIPTION__AUTHOR_PRESENCE_AUTHOR
      message.author = try arena.text(author)
    }
    if let version {
      message.version_presence_case = WEIGHBRIDGE__V1__DESCRIPTION__VERSION_PRESENCE_VERSION
      message.version = try arena.text(version)
    }
    if let shortDescription {
      message.short_description_presence_case =
        WEIGHBRIDGE__V1__DESCRIPTION__SHORT_DESCRIPTION_PRESENCE_SHORT_DESCRIPTION
      message.short_description = try arena.text(shortDescription)
    }
  }

  init(_ message: Weighbridge__V1__Description) throws(WeighbridgeError) {
    self.init(
      name: message.name_presence_case.rawValue == 0 ? nil : MessageParts.text(message.name),
      author: message.author_presence_case.rawValue == 0 ? nil : MessageParts.text(message.author),
      license: message.license.map { WBMLicense($0.pointee) },
      version: message.version_presence_case.rawValue == 0
        ? nil : MessageParts.text(message.version),
      shortDescription: message.short_description_presence_case.rawValue == 0
        ? nil : MessageParts.text(message.short_description),
      inputs: try MessageParts.list(message.n_inputs, message.inputs, WBMFeature.init),
      outputs: try MessageParts.list(message.n_outputs, message.outputs, WBMFeature.init),
      classLabels: MessageParts.texts(message.n_class_labels, message.class_labels))
    if let detector = message.detector { self.detector = try WBMDetector(detector.pointee) }
    userDefined = try MessageParts.list(
      message.n_user_defined, message.user_defined, WBMKeyValue.init)
    unknownFields = MessageParts.unknownFields(message.base)
  }
}

extension WBMLicense {
  fileprivate func packed(
    in arena: MessageArena
  ) throws(WeighbridgeError) -> UnsafeMutablePointer<Weighbridge__V1__License> {
    let message = arena.message(weighbridge__v1__license__init)
    message.pointee.text = try arena.text(text)
    if let spdx {
      message.pointee.spdx_presence_case = WEIGHBRIDGE__V1__LICENSE__SPDX_PRESENCE_SPDX
      message.pointee.spdx = try arena.text(spdx)
    }
    if let note {
      message.pointee.note_presence_case = WEIGHBRIDGE__V1__LICENSE__NOTE_PRESENCE_NOTE
      message.pointee.note = try arena.text(note)
    }
    arena.keep(unknownFields, in: &message.pointee.base)
    return message
  }

  fileprivate init(_ message: Weighbridge__V1__License) {
    self.init(
      text: MessageParts.text(message.text),
      spdx: message.spdx_presence_case.rawValue == 0 ? nil : MessageParts.text(message.spdx),
      note: message.note_presence_case.rawValue == 0 ? nil : MessageParts.text(message.note))
    unknownFields = MessageParts.unknownFields(message.base)
  }
}

extension WBMKeyValue {
  func packed(
    in arena: MessageArena
  ) throws(WeighbridgeError) -> UnsafeMutablePointer<Weighbridge__V1__KeyValue> {
    let message = arena.message(weighbridge__v1__key_value__init)
    message.pointee.key = try arena.text(key)
    message.pointee.value = try arena.text(value)
    arena.keep(unknownFields, in: &message.pointee.base)
    return message
  }

  init(_ message: Weighbridge__V1__KeyValue) throws(WeighbridgeError) {
    self.init(key: MessageParts.text(message.key), value: MessageParts.text(message.value))
    unknownFields = MessageParts.unknownFields(message.base)
  }
}
