package import Bytes
import JSON

/// A tensor of a safetensors file.
package struct SafetensorsTensor: Hashable, Sendable {
  /// The name; unique in its file.
  package let name: String
  /// The type of the elements.
  package let elementType: ElementType
  /// The sizes of the axes, outermost first; empty for a scalar.
  package let shape: [Int]
  /// The range of the elements in the file, little-endian and in row-major order.
  package let range: Range<Int>
}

/// A file of named tensors, in the format of huggingface/safetensors: a length, a JSON text that
/// describes the tensors, and their elements.
///
/// The checks are those of the format's own reader: tensors neither overlap nor leave gaps, and the
/// last one ends where the file ends.
package struct SafetensorsFile: Sendable {
  /// The tensors in the order of their elements.
  package let tensors: [SafetensorsTensor]
  /// Strings about the file as a whole, in the order of the file.
  package let metadata: [(key: String, value: String)]

  /// Whether bytes begin like a file of the format.
  package static func recognizes(_ bytes: borrowing RawSpan) -> Bool {
    SafetensorsHeader.recognizes(bytes)
  }

  /// Reads everything but the elements.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed``; ``WeighbridgeError/Code/unsupported`` for
  ///   unsupported element types; ``WeighbridgeError/Code/limitExceeded``.
  package init(_ bytes: borrowing RawSpan) throws(WeighbridgeError) {
    let (object, start) = try SafetensorsHeader.read(bytes)
    var header = object
    metadata = try Self.metadata(header[SafetensorsHeader.metadataKey])
    header[SafetensorsHeader.metadataKey] = nil
    var tensors: [SafetensorsTensor] = []
    for name in header.keys {
      tensors.append(
        try locating({ $0.at(.path(name)) }) { () throws(WeighbridgeError) in
          try Self.tensor(name, header[name], start: start)
        })
    }
    tensors.sort {
      ($0.range.lowerBound, $0.range.upperBound) < ($1.range.lowerBound, $1.range.upperBound)
    }
    try Self.checkCoverage(tensors, from: start, to: bytes.byteCount)
    self.tensors = tensors
  }

  private static func metadata(
    _ value: JSONValue?
  ) throws(WeighbridgeError) -> [(key: String, value: String)] {
    guard let value else { return [] }
    let position = WeighbridgeError.Position.path(SafetensorsHeader.metadataKey)
    guard let object = value.object else {
      throw .malformed("is \(value.typeName), expected an object").at(position)
    }
    return try object.keys.map { (key) throws(WeighbridgeError) in
      guard let text = object[key]?.string else {
        throw .malformed("has a \(key) that is not a string").at(position)
      }
      return (key, text)
    }
  }

  /// Reads the description of a tensor.
  private static func tensor(
    _ name: String, _ value: JSONValue?, start: Int
  ) throws(WeighbridgeError) -> SafetensorsTensor {
    guard let members = value?.object else {
      throw .malformed("is not an object with dtype, shape and data_offsets")
    }
    if let key = members.keys.first(where: { !["dtype", "shape", "data_offsets"].contains($0) }) {
      throw .unsupported("has an unknown member \(key)")
    }
    guard let typeName = members["dtype"]?.string else { throw .malformed("has no dtype") }
    let type = try ElementType(safetensorsName: typeName)
    let shape = try counts("shape", members)
    let offsets = try counts("data_offsets", members)
    guard offsets.count == 2, offsets[0] <= offsets[1] else {
      throw .malformed("has data_offsets that are not [begin, end]: \(offsets)")
    }
    let size = try Checked.product(shape + [type.byteCount], of: "its size")
    guard offsets[1] - offsets[0] == size else {
      throw .malformed(
        "has \(offsets[1] - offsets[0]) bytes, but \(typeName) \(shape) takes \(size)")
    }
    let begin = try Checked.sum(start, offsets[0], of: "its offset")
    let end = try Checked.sum(start, offsets[1], of: "its offset")
    return SafetensorsTensor(name: name, elementType: type, shape: shape, range: begin..<end)
  }

  private static func counts(
    _ key: String, _ members: JSONObject
  ) throws(WeighbridgeError) -> [Int] {
    guard let elements = members[key]?.array else { throw .malformed("has no list \(key)") }
    return try elements.map { (element) throws(WeighbridgeError) in
      guard case .integer(let count) = element, count >= 0 else {
        throw .malformed(
          "has \(element.text()) in its \(key), expected non-negative integers")
      }
      return count
    }
  }

  /// Rejects tensors that share bytes, bytes that belong to no tensor, and a file that ends too
  /// early.
  private static func checkCoverage(
    _ tensors: [SafetensorsTensor], from start: Int, to end: Int
  ) throws(WeighbridgeError) {
    var next = start
    for tensor in tensors {
      guard tensor.range.lowerBound == next else {
        let problem = tensor.range.lowerBound < next ? "overlaps the tensor" : "leaves a gap"
        throw .malformed(
          "begins at byte \(tensor.range.lowerBound) and \(problem) before it, which ends at \(next)"
        ).at(.path(tensor.name))
      }
      next = tensor.range.upperBound
    }
    guard next == end else {
      throw .malformed(
        next < end
          ? "has \((end - next).counted("byte")) after the last tensor"
          : "is cut off: its tensors end at byte \(next), but it has \(end)")
    }
  }
}
