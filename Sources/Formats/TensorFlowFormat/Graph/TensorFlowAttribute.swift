import Bytes
import ProtobufWire

/// A setting of an operation: an `AttrValue`.
package enum TensorFlowAttribute: Sendable {
  case string(String)
  case integer(Int)
  case real(Double)
  case boolean(Bool)
  case type(TensorFlowType)
  /// The sizes, -1 for an unknown one; `nil` for an unknown rank.
  case shape([Int]?)
  case tensor(TensorFlowTensor)
  /// The name of a function.
  case function(String)
  case list([TensorFlowAttribute])

  /// Reads an `AttrValue`; `nil` for one without a value.
  init?(_ bytes: RawSpan, _ message: Range<Int>) throws(WeighbridgeError) {
    var value: TensorFlowAttribute?
    try WireField.forEach(in: bytes, message) { (field) throws(WeighbridgeError) in
      if field.number == 1 {
        value = .list(try Self.list(bytes, field.range()))
      } else if field.number == 10 {
        value = .function(try Self.functionName(bytes, field.range()))
      } else {
        value = try Self.elements(field, bytes).first ?? value
      }
    }
    guard let value else { return nil }
    self = value
  }

  private static func list(
    _ bytes: RawSpan, _ message: Range<Int>
  ) throws(WeighbridgeError) -> [TensorFlowAttribute] {
    var list: [TensorFlowAttribute] = []
    try WireField.forEach(in: bytes, message) { (field) throws(WeighbridgeError) in
      if field.number == 9 {
        list.append(.function(try functionName(bytes, field.range())))
      } else {
        list += try elements(field, bytes)
      }
    }
    return list
  }

  /// The elements in a field, whose numbers are those of the types of values both in a list and by
  /// themselves.
  private static func elements(
    _ field: WireField, _ bytes: RawSpan
  ) throws(WeighbridgeError) -> [TensorFlowAttribute] {
    switch field.number {
    case 2: [.string(String(decoding: bytes.copied(try field.range()), as: UTF8.self))]
    case 3: try field.integers(in: bytes).map { .integer($0) }
    case 4:
      try field.fixedNumbers(in: bytes, byteCount: 4).map {
        .real(Double(Float(bitPattern: UInt32(truncatingIfNeeded: $0))))
      }
    case 5: try field.integers(in: bytes).map { .boolean($0 != 0) }
    case 6: try field.integers(in: bytes).map { .type(TensorFlowType(code: $0)) }
    case 7: [.shape(try TensorFlowShape.read(bytes, field.range()))]
    case 8: [.tensor(try TensorFlowTensor(bytes, field.range()))]
    default: []
    }
  }

  /// Reads the name in a `NameAttrList`.
  private static func functionName(
    _ bytes: RawSpan, _ message: Range<Int>
  ) throws(WeighbridgeError) -> String {
    var name = ""
    try WireField.forEach(in: bytes, message) { (field) throws(WeighbridgeError) in
      if field.number == 1 { name = try field.string(in: bytes) }
    }
    return name
  }
}
