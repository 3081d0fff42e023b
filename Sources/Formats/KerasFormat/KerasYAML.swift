import Bytes
import JSON
import YAML

/// Reads the Python objects that `to_yaml` writes where `to_json` writes numbers, lists and
/// mappings. They are read as data; nothing is instantiated or called.
enum KerasYAML {
  /// Parses a `to_yaml` string of Keras 1, Keras 2 or TensorFlow.
  static func json(_ text: [UInt8]) throws(WeighbridgeError) -> JSONValue {
    try JSONValue(yaml: text, objects: value)
  }

  /// The value of an object; `nil` for an unknown one.
  private static func value(of tag: String, _ content: JSONValue) -> JSONValue? {
    let parts = tag.split(separator: ":", maxSplits: 1)
    guard let kind = parts.first, let name = parts.last?.split(separator: ".").last else {
      return nil
    }
    switch (kind, name) {
    case ("binary", _): return content.string.map { .object([binaryKey: .string($0)]) }
    case ("python/object/new", "SharedObjectConfig"):
      guard let members = content.object, members.keys.allSatisfy(["dictitems", "state"].contains)
      else { return nil }
      return members["dictitems"]
    case ("python/object/apply", "ListWrapper"), ("python/object/apply", "Dimension"),
      ("python/object/apply", "TensorShape"):
      guard let arguments = content.array, arguments.count == 1 else { return nil }
      return arguments[0]
    case ("python/object/apply", "dtype"):
      guard let arguments = content.object?["args"]?.array,
        let state = content.object?["state"]?.array,
        let type = arguments.first?.string, state.count > 1, let order = state[1].string
      else { return nil }
      return .object([typeKey: .string(order + type)])
    case ("python/object/apply", "scalar"):
      guard let arguments = content.array, arguments.count == 2 else { return nil }
      return number(arguments[0], arguments[1])
    default: return nil
    }
  }

  // The keys of the parts of a NumPy number, until it is decoded. Keras has no settings with such
  // keys.
  private static let binaryKey = "!!binary"
  private static let typeKey = "!!numpy.dtype"

  /// Decodes a NumPy number from its type and bytes.
  private static func number(_ type: JSONValue, _ content: JSONValue) -> JSONValue? {
    // Python 2 writes bytes that are ASCII as a string.
    let decoded = content.object?[binaryKey]?.string.flatMap { [UInt8](base64: $0) }
    guard let bytes = decoded ?? content.string.map({ Array($0.utf8) }), bytes.count <= 8 else {
      return nil
    }
    let bits = bytes.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    switch (type.object?[typeKey]?.string, bytes.count) {
    case ("<i8", 8): return .integer(Int(Int64(bitPattern: bits)))
    case ("<i4", 4): return .integer(Int(Int32(truncatingIfNeeded: bits)))
    case ("<f8", 8): return .real(Double(bitPattern: bits))
    case ("<f4", 4): return .real(Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits))))
    case ("|b1", 1): return .bool(bits != 0)
    default: return nil
    }
  }
}
