import Bytes
import ProtobufWire

/// Where a tensor of a bundle is, and its type.
package struct TensorBundleEntry: Sendable {
  /// The type of its elements.
  package fileprivate(set) var type = TensorFlowType(code: 0)
  /// The sizes, slowest axis first; empty for a scalar.
  package fileprivate(set) var shape: [Int] = []
  /// The index of the file with its bytes.
  var shard = 0
  /// The range of its bytes in that file.
  var range = 0..<0
  /// The masked CRC-32C checksum of its bytes.
  var checksum: UInt32 = 0
  /// The parts that it is stored in, each under a key of its own; none if it is stored as a whole.
  var slices: [TensorSlice] = []
}

extension TensorBundleEntry {
  /// Reads a `BundleEntryProto`.
  init(_ bytes: RawSpan, _ message: Range<Int>) throws(WeighbridgeError) {
    self.init()
    var (offset, byteCount) = (0, 0)
    try WireField.forEach(in: bytes, message) { (field) throws(WeighbridgeError) in
      switch field.number {
      case 1: type = TensorFlowType(code: try field.integer())
      case 2: shape = try Self.shape(bytes, field.range())
      case 3: shard = try Checked.count(field.integer(), of: "the number of a file")
      case 4: offset = try Checked.count(field.integer(), of: "an offset")
      case 5: byteCount = try Checked.count(field.integer(), of: "a size")
      case 6: checksum = UInt32(truncatingIfNeeded: try field.bits())
      case 7: slices.append(try TensorSlice(bytes, field.range()))
      default: throw .unsupported("has the unknown field \(field.number)")
      }
    }
    range = offset..<(try Checked.sum(offset, byteCount, of: "the end of its bytes"))
    let count = try Checked.product(shape, of: "the number of its elements")
    guard slices.isEmpty else { return }
    if let size = type.elementType?.byteCount {
      let expected = try Checked.product([count, size], of: "its size")
      guard byteCount == expected else {
        throw .malformed("has \(byteCount) bytes, and \(type.name) \(shape) takes \(expected)")
      }
    }
  }

  /// Reads the shape of a tensor, whose sizes are all known.
  static func shape(_ bytes: RawSpan, _ message: Range<Int>) throws(WeighbridgeError) -> [Int] {
    guard let shape = try TensorFlowShape.read(bytes, message) else {
      throw .malformed("has a shape of unknown rank")
    }
    guard !shape.contains(-1) else {
      throw .malformed("has the shape \(shape), expected known sizes")
    }
    return shape
  }
}
