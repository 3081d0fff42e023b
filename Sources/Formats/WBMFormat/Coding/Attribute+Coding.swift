import Bytes
import CWBM
import ProtobufWire

extension WBMAttribute {
  func packed(
    in arena: MessageArena
  ) throws(WeighbridgeError) -> UnsafeMutablePointer<Weighbridge__V1__Attribute> {
    let message = arena.message(weighbridge__v1__attribute__init)
    message.pointee.name = try arena.text(name)
    switch value {
    case .integer(let number):
      message.pointee.value_case = WEIGHBRIDGE__V1__ATTRIBUTE__VALUE_INTEGER
      message.pointee.integer = number
    case .real(let number):
      message.pointee.value_case = WEIGHBRIDGE__V1__ATTRIBUTE__VALUE_REAL
      message.pointee.real = number
    case .boolean(let flag):
      message.pointee.value_case = WEIGHBRIDGE__V1__ATTRIBUTE__VALUE_BOOLEAN
      message.pointee.boolean = flag ? 1 : 0
    case .text(let text):
      message.pointee.value_case = WEIGHBRIDGE__V1__ATTRIBUTE__VALUE_TEXT
      message.pointee.text = try arena.text(text)
    case .integers, .reals, .texts: try packList(into: &message.pointee, in: arena)
    }
    return message
  }

  private func packList(
    into message: inout Weighbridge__V1__Attribute, in arena: MessageArena
  ) throws(WeighbridgeError) {
    switch value {
    case .integers(let numbers):
      let list = arena.message(weighbridge__v1__integer_list__init)
      list.pointee.n_elements = numbers.count
      list.pointee.elements = arena.numbers(numbers)
      message.value_case = WEIGHBRIDGE__V1__ATTRIBUTE__VALUE_INTEGERS
      message.integers = list
    case .reals(let numbers):
      let list = arena.message(weighbridge__v1__real_list__init)
      list.pointee.n_elements = numbers.count
      list.pointee.elements = arena.numbers(numbers)
      message.value_case = WEIGHBRIDGE__V1__ATTRIBUTE__VALUE_REALS
      message.reals = list
    case .texts(let texts):
      let list = arena.message(weighbridge__v1__text_list__init)
      list.pointee.n_elements = texts.count
      list.pointee.elements = try arena.texts(texts)
      message.value_case = WEIGHBRIDGE__V1__ATTRIBUTE__VALUE_TEXTS
      message.texts = list
    case .integer, .real, .boolean, .text: break
    }
  }

  init(_ message: Weighbridge__V1__Attribute) throws(WeighbridgeError) {
    let name = MessageParts.text(message.name)
    guard let value = Value(message) else {
      throw WeighbridgeError(.malformed, "the attribute \(name) has no value")
    }
    self.init(name: name, value: value)
  }
}

extension WBMAttribute.Value {
  fileprivate init?(_ message: Weighbridge__V1__Attribute) {
    switch message.value_case {
    case WEIGHBRIDGE__V1__ATTRIBUTE__VALUE_INTEGER: self = .integer(message.integer)
    case WEIGHBRIDGE__V1__ATTRIBUTE__VALUE_REAL: self = .real(message.real)
    case WEIGHBRIDGE__V1__ATTRIBUTE__VALUE_BOOLEAN: self = .boolean(message.boolean != 0)
    case WEIGHBRIDGE__V1__ATTRIBUTE__VALUE_TEXT: self = .text(MessageParts.text(message.text))
    case WEIGHBRIDGE__V1__ATTRIBUTE__VALUE_INTEGERS:
      guard let list = message.integers?.pointee else { return nil }
      self = .integers(MessageParts.numbers(list.n_elements, list.elements))
    case WEIGHBRIDGE__V1__ATTRIBUTE__VALUE_REALS:
      guard let list = message.reals?.pointee else { return nil }
      self = .reals(MessageParts.numbers(list.n_elements, list.elements))
    case WEIGHBRIDGE__V1__ATTRIBUTE__VALUE_TEXTS:
      guard let list = message.texts?.pointee else { return nil }
      self = .texts(MessageParts.texts(list.n_elements, list.elements))
    default: return nil
    }
  }
}
