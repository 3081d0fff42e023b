package import Bytes
import JSON

/// The readable contents of a file that ``SafetensorsFile`` rejects.
package struct SafetensorsFragment: Sendable {
  /// A tensor as described in the header.
  package struct Tensor: Sendable {
    /// Its name.
    package let name: String
    /// The name of the element type.
    package let typeName: String
    /// The type; `nil` where it is unknown.
    package let elementType: ElementType?
    /// The sizes of its axes.
    package let shape: [Int]
  }

  /// The tensors with a type and a shape, in the order of the header.
  package let tensors: [Tensor]

  /// Reads as much as possible of a file.
  ///
  /// - Returns: `nil` when no tensor can be read.
  package init?(_ bytes: RawSpan) {
    var cursor = ByteCursor(0..<bytes.byteCount)
    guard let length = try? cursor.integer(UInt64.self, from: bytes),
      length <= SafetensorsHeader.textByteLimit
    else { return nil }
    let count = min(Int(length), bytes.byteCount - cursor.offset)
    guard let text = try? cursor.bytes(count, from: bytes),
      let header = JSONValue(fragmentOf: text)?.object
    else { return nil }
    tensors = header.keys.compactMap { name in
      guard let tensor = header[name]?.object, let typeName = tensor["dtype"]?.string,
        let shape = tensor["shape"]?.array?.compactMap(\.integer),
        shape.allSatisfy({ $0 >= 0 })
      else { return nil }
      return Tensor(
        name: name, typeName: typeName, elementType: try? ElementType(safetensorsName: typeName),
        shape: shape)
    }
    if tensors.isEmpty { return nil }
  }
}
