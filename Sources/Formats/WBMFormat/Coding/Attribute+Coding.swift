package import Bytes
package import ProtobufWire

extension WBMAttribute: MessageRecord {
  package init() { self.init(name: "", value: .integer(0)) }

  package mutating func code(_ fields: MessageFields) throws(WeighbridgeError) {
    try fields.string(1, &name)
    if fields.isReading {
      guard let member = fields.presentMember(ofOneofWith: Value.firstMember) else {
        throw .malformed("the attribute \(name) has no value")
      }
      value = Value.defaults[member - Value.firstMember]
    }
    try value.code(fields)
  }
}

extension WBMAttribute.Value {
  /// The number of the oneof's first member.
  fileprivate static let firstMember = 2

  /// A default value of each case, in the order of the oneof's members.
  fileprivate static let defaults: [Self] = [
    .integer(0), .real(0), .boolean(false), .string(""), .integers([]), .reals([]), .strings([]),
  ]

  /// Reads or writes the oneof's member for the case.
  fileprivate mutating func code(_ fields: MessageFields) throws(WeighbridgeError) {
    switch self {
    case .integer(var number):
      fields.number(2, &number)
      self = .integer(number)
    case .real(var number):
      fields.number(3, &number)
      self = .real(number)
    case .boolean(var flag):
      fields.boolean(4, &flag)
      self = .boolean(flag)
    case .string(var string):
      try fields.string(5, &string)
      self = .string(string)
    case .integers(var numbers):
      try fields.message(6)?.numbers(1, &numbers)
      self = .integers(numbers)
    case .reals(var numbers):
      try fields.message(7)?.numbers(1, &numbers)
      self = .reals(numbers)
    case .strings(var strings):
      try fields.message(8)?.strings(1, &strings)
      self = .strings(strings)
    }
  }
}
