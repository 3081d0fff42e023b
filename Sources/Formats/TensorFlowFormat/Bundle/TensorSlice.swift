import Bytes
import ProtobufWire

/// A part of a tensor that is stored by itself, as variables are that were split over machines.
struct TensorSlice: Sendable {
  /// Where it begins along each axis, and how many elements it has; `nil` for the whole axis.
  private var extents: [(start: Int, length: Int?)] = []

  /// A tensor in more parts than these is not read.
  private static let countLimit = 4096

  /// Reads a `TensorSliceProto`.
  init(_ bytes: RawSpan, _ message: Range<Int>) throws(WeighbridgeError) {
    try WireField.forEach(in: bytes, message) { (field) throws(WeighbridgeError) in
      guard field.number == 1 else {
        throw .unsupported("has the unknown field \(field.number) in a slice")
      }
      var extent: (start: Int, length: Int?) = (0, nil)
      try WireField.forEach(in: bytes, field.range()) { (field) throws(WeighbridgeError) in
        switch field.number {
        case 1: extent.start = try Checked.count(field.integer(), of: "the start of a slice")
        case 2: extent.length = try Checked.count(field.integer(), of: "the length of a slice")
        default: throw .unsupported("has the unknown field \(field.number) in a slice")
        }
      }
      extents.append(extent)
    }
  }

  /// The number of elements along each axis of a tensor's shape.
  func lengths(in shape: [Int]) -> [Int] { zip(extents, shape).map { $0.length ?? $1 } }

  /// Checks that slices have every element of a tensor, and each once.
  static func checkPartition(
    _ slices: [TensorSlice], of shape: [Int]
  ) throws(WeighbridgeError) {
    guard slices.count <= countLimit else {
      throw .limitExceeded("is stored in \(slices.count) parts; \(countLimit) are read")
    }
    var count = 0
    for (index, slice) in slices.enumerated() {
      let isInside =
        slice.extents.count == shape.count
        && zip(slice.extents, shape).allSatisfy {
          $0.start <= $1 && $0.length ?? $1 <= $1 - $0.start
        }
      guard isInside else {
        throw .malformed("has a part \(slice), which is not in its shape \(shape)")
      }
      if let other = slices[..<index].first(where: { slice.overlaps($0, in: shape) }) {
        throw .malformed("has parts \(other) and \(slice), which overlap")
      }
      count += slice.lengths(in: shape).reduce(1, *)
    }
    guard count == shape.reduce(1, *) else {
      throw .malformed(
        "has parts with \(count) elements, expected as many as the shape \(shape) has")
    }
  }

  private func overlaps(_ other: TensorSlice, in shape: [Int]) -> Bool {
    shape.indices.allSatisfy { axis in
      let (left, right) = (extents[axis], other.extents[axis])
      return left.start < right.start + (right.length ?? shape[axis])
        && right.start < left.start + (left.length ?? shape[axis])
    }
  }

  /// Copies the elements of the slice into those of the tensor. The slice must be inside it.
  func copy(_ source: RawSpan, into tensor: inout [UInt8], shape: [Int], elementSize: Int) {
    let lengths = lengths(in: shape)
    let rowSize = (lengths.last ?? 1) * elementSize
    guard source.byteCount > 0 else { return }
    for row in 0..<source.byteCount / rowSize {
      var (rest, stride, position) = (row, elementSize, 0)
      for axis in shape.indices.reversed() {
        let isInner = axis == shape.count - 1
        let index = isInner ? 0 : rest % lengths[axis]
        if !isInner { rest /= lengths[axis] }
        position += (extents[axis].start + index) * stride
        stride *= shape[axis]
      }
      let bytes = source.copied(row * rowSize..<(row + 1) * rowSize)
      tensor.replaceSubrange(position..<position + rowSize, with: bytes)
    }
  }
}

extension TensorSlice: CustomStringConvertible {
  /// The slice as TensorFlow prints it: `-:0,3` for all of the first axis and three of the second.
  var description: String {
    extents.map { extent in extent.length.map { "\(extent.start),\($0)" } ?? "-" }
      .joined(separator: ":")
  }
}

/// The keys of slices, which sort like the names and numbers in them (`ordered_code.h`).
extension TensorSlice {
  /// The key of the slice of a tensor.
  func key(of name: String) -> [UInt8] {
    var key: [UInt8] = [0]
    for byte in name.utf8 { key += byte == 0 ? [0, 0xFF] : byte == 0xFF ? [0xFF, 0] : [byte] }
    key += [0, 1] + (extents.isEmpty ? [0] : [1, UInt8(truncatingIfNeeded: extents.count)])
    for extent in extents {
      key += Self.code(extent.start) + Self.code(extent.length ?? -1)
    }
    return key
  }

  /// A number of at least -1: as many leading ones as it takes bytes, a zero, and its bits.
  private static func code(_ number: Int) -> [UInt8] {
    if number < 64 { return [0x80 ^ UInt8(truncatingIfNeeded: number)] }
    let count = (Int.bitWidth - number.leadingZeroBitCount) / 7 + 1
    var bytes = (0..<count).reversed().map { index in
      index < 8 ? UInt8(truncatingIfNeeded: number >> (8 * index)) : 0
    }
    // The header's ones go into the second byte from eight bytes on.
    let header = UInt16(truncatingIfNeeded: 0xFFFF << (16 - count))
    bytes[0] ^= UInt8(header >> 8)
    bytes[1] ^= UInt8(header & 0xFF)
    return bytes
  }
}
