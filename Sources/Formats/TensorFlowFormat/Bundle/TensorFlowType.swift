package import Bytes

/// The type of a tensor's elements, by its number in `types.proto`.
package struct TensorFlowType: Hashable, Sendable {
  /// The number.
  let code: Int

  /// The types that TensorFlow has, from 0 on; `nil` where the number is not in use.
  private static let names: [String?] = [
    "invalid", "float32", "float64", "int32", "uint8", "int16", "int8", "string", "complex64",
    "int64", "bool",
    "qint8", "quint8", "qint32", "bfloat16", "qint16", "quint16", "uint16", "complex128", "float16",
    "resource",
    "variant", "uint32", "uint64", "float8_e5m2", "float8_e4m3fn", nil, nil, nil, "int4", "uint4",
  ]

  static let string = TensorFlowType(code: 7)

  /// The type with a name; `nil` if there is none.
  init?(name: String) {
    guard let code = Self.names.firstIndex(of: name) else { return nil }
    self.init(code: code)
  }

  init(code: Int) { self.code = code }

  /// The name as TensorFlow prints it, such as `float32`.
  package var name: String {
    (Self.names.indices.contains(code) ? Self.names[code] : nil) ?? "type \(code)"
  }

  /// The same type here; `nil` for strings and others without one.
  package var elementType: ElementType? { ElementType(rawValue: name) }
}
