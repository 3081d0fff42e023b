import Bytes

extension ElementType {
  /// Creates the type from its name in safetensors.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported``, with the name, for types that are not
  ///   supported; ``WeighbridgeError/Code/malformed`` for names that the format does not define.
  init(safetensorsName name: String) throws(WeighbridgeError) {
    if let type = Self.allCases.first(where: { $0.safetensorsName == name }) {
      self = type
      return
    }
    guard Self.unsupportedNames.contains(name) else {
      throw .malformed("has the type \(name), which safetensors does not define")
    }
    throw .unsupported("has elements of the type \(name), which are not read")
  }

  /// The name that safetensors uses for the type.
  var safetensorsName: String {
    switch self {
    case .float16: "F16"
    case .bfloat16: "BF16"
    case .float32: "F32"
    case .float64: "F64"
    case .int8: "I8"
    case .int16: "I16"
    case .int32: "I32"
    case .int64: "I64"
    case .uint8: "U8"
    case .uint16: "U16"
    case .uint32: "U32"
    case .uint64: "U64"
    case .bool: "BOOL"
    }
  }

  /// The names of numbers of less than a byte, floating-point numbers of a byte, and complex
  /// numbers.
  private static let unsupportedNames: Set<String> = [
    "C64", "F4", "F6_E2M3", "F6_E3M2", "F8_E4M3", "F8_E4M3FNUZ", "F8_E5M2", "F8_E5M2FNUZ",
    "F8_E8M0",
  ]
}
