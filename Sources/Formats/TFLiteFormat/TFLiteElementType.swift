package import Bytes

/// The number type of a tensor, by its number in the schema.
package enum TFLiteElementType: Int, Hashable, Sendable {
  case float32 = 0
  case float16 = 1
  case int32 = 2
  case uint8 = 3
  case int64 = 4
  case bool = 6
  case int16 = 7
  case int8 = 9
  case float64 = 10
  case uint64 = 12
  case uint32 = 15
  case uint16 = 16
  case bfloat16 = 18

  /// The type of a graph's tensor.
  package init(_ type: ElementType) {
    self =
      switch type {
      case .float16: .float16
      case .bfloat16: .bfloat16
      case .float32: .float32
      case .float64: .float64
      case .int8: .int8
      case .int16: .int16
      case .int32: .int32
      case .int64: .int64
      case .uint8: .uint8
      case .uint16: .uint16
      case .uint32: .uint32
      case .uint64: .uint64
      case .bool: .bool
      }
  }
}
