import Bytes
import CWBM
import ProtobufWire

extension WBMFeature {
  func packed(
    in arena: MessageArena
  ) throws(WeighbridgeError) -> UnsafeMutablePointer<Weighbridge__V1__Feature> {
    let message = arena.message(weighbridge__v1__feature__init)
    message.pointee.name = try arena.text(name)
    if let description {
      message.pointee.description_presence_case =
        WEIGHBRIDGE__V1__FEATURE__DESCRIPTION_PRESENCE_DESCRIPTION
      message.pointee.description = try arena.text(description)
    }
    if let image { message.pointee.image = image.packed(in: arena) }
    arena.keep(unknownFields, in: &message.pointee.base)
    return message
  }

  init(_ message: Weighbridge__V1__Feature) throws(WeighbridgeError) {
    name = MessageParts.text(message.name)
    description =
      message.description_presence_case.rawValue == 0 ? nil : MessageParts.text(message.description)
    if let image = message.image { self.image = try WBMImage(image.pointee) }
    unknownFields = MessageParts.unknownFields(message.base)
  }
}

extension WBMImage {
  fileprivate func packed(
    in arena: MessageArena
  ) -> UnsafeMutablePointer<Weighbridge__V1__Image> {
    let message = arena.message(weighbridge__v1__image__init)
    message.pointee.color_order = .init(colorOrder.schemaNumber)
    message.pointee.scale = scale
    message.pointee.n_bias = bias.count
    message.pointee.bias = arena.numbers(bias)
    if let resize { message.pointee.resize = .init(resize.schemaNumber) }
    message.pointee.layout = .init(layout.schemaNumber)
    arena.keep(unknownFields, in: &message.pointee.base)
    return message
  }

  fileprivate init(_ message: Weighbridge__V1__Image) throws(WeighbridgeError) {
    self.init(
      colorOrder: try ColorOrder(schemaNumber: message.color_order.rawValue),
      scale: message.scale,
      bias: MessageParts.numbers(message.n_bias, message.bias),
      resize: try ResizePolicy.optional(schemaNumber: message.resize.rawValue),
      layout: try Layout(schemaNumber: message.layout.rawValue))
    unknownFields = MessageParts.unknownFields(message.base)
  }
}
