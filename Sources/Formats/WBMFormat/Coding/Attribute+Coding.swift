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
    case .string(let string):
      message.pointee.value_case = WEIGHBRIDGE__V1__ATTRIBUTE__VALUE_STRING
      message.pointee.string = try arena.text(string)
    case .integers, .reals, .strings: try packList(into: &message.pointee, in: arena)
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
    case .strings(let strings):
      let list = arena.message(weighbridge__v1__string_list__init)
      list.pointee.n_elements = strings.count
      list.pointee.elements = try arena.texts(strings)
      message.value_case = WEIGHBRIDGE__V1__ATTRIBUTE__VALUE_STRINGS
      message.strings = list
    case .integer, .real, .boolean, .string: break
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
    case WEIGHBRIDGE__V1__ATTRIBUTE__VALUE_STRING:
      self = .string(MessageParts.text(message.string))
    case WEIGHBRIDGE__V1__ATTRIBUTE__VALUE_INTEGERS:
      guard let list = message.integers?.pointee else { return nil }
      self = .integers(MessageParts.numbers(list.n_elements, list.elements))
    case WEIGHBRIDGE__V1__ATTRIBUTE__VALUE_REALS:
      guard let list = message.reals?.pointee else { return nil }
      self = .reals(MessageParts.numbers(list.n_elements, list.elements))
    case WEIGHBRIDGE__V1__ATTRIBUTE__VALUE_STRINGS:
      guard let list = message.strings?.pointee else { return nil }
      self = .strings(MessageParts.texts(list.n_elements, list.elements))
    default: return nil
    }
  }
}
