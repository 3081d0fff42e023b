package import Bytes

extension ElementType {
  /// The type of a number in the schema; `nil` for types that are none of a graph's.
  package init?(tfliteNumber number: Int) {
    guard let type = Self.allCases.first(where: { $0.tfliteNumber == number }) else { return nil }
    self = type
  }

  /// The number of the type in the schema.
  var tfliteNumber: Int {
    switch self {
    case .float32: 0
    case .float16: 1
    case .int32: 2
    case .uint8: 3
    case .int64: 4
    case .bool: 6
    case .int16: 7
    case .int8: 9
    case .float64: 10
    case .uint64: 12
    case .uint32: 15
    case .uint16: 16
    case .bfloat16: 18
    }
  }
}
