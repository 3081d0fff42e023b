import Bytes
import ProtobufWire

/// A shape as messages have it.
enum TensorFlowShape {
  /// No tensor of TensorFlow has more axes.
  static let rankLimit = 254

  /// Reads a `TensorShapeProto`.
  ///
  /// - Returns: The sizes, slowest axis first, -1 for an unknown one; `nil` for an unknown rank.
  ///   TensorFlow's optimizer numbers unknown sizes -2, -3 and so on.
  static func read(
    _ bytes: RawSpan, _ message: Range<Int>
  ) throws(WeighbridgeError) -> [Int]? {
    var (shape, hasRank): ([Int], Bool) = ([], true)
    try WireField.forEach(in: bytes, message) { (field) throws(WeighbridgeError) in
      if field.number == 3 { hasRank = try field.integer() == 0 }
      guard field.number == 2 else { return }
      var size = 0
      try WireField.forEach(in: bytes, field.range()) { (field) throws(WeighbridgeError) in
        if field.number == 1 { size = try field.integer() }
      }
      guard shape.count < rankLimit else {
        throw .malformed("has a shape of more than \(rankLimit) axes")
      }
      shape.append(max(size, -1))
    }
    return hasRank ? shape : nil
  }
}
