package import Bytes
import CKernels

/// Integers q of 2 to 8 bits: an element is (q - zero point) * scale + offset, with each operation
/// in single precision and a scale for each block of the tensor.
package struct LinearIntegers: Hashable, Sendable {
  /// The bits of each integer, 2 to 8.
  package var bits: Int
  /// Whether integers are in two's complement; otherwise they are unsigned.
  package var isSigned: Bool
  /// The size of the block that has a scale along each axis.
  package var blockShape: [Int]
  /// Whether each block has an integer zero point. Otherwise it is 0.
  package var hasZeroPoints: Bool
  /// Whether each block has an offset. Otherwise nothing is added.
  package var hasOffsets: Bool

  /// Describes integers.
  package init(
    bits: Int, isSigned: Bool, blockShape: [Int], hasZeroPoints: Bool = false,
    hasOffsets: Bool = false
  ) {
    self.bits = bits
    self.isSigned = isSigned
    self.blockShape = blockShape
    self.hasZeroPoints = hasZeroPoints
    self.hasOffsets = hasOffsets
  }

  /// The integers, with the scales, zero points and offsets of the blocks.
  package struct Content: Sendable {
    /// The integers, row-major.
    package var integers: [Int8]
    /// A number for each block, row-major.
    package var scales: [Float]
    /// A number for each block, or none.
    package var zeroPoints: [Int32]
    /// A number for each block, or none.
    package var offsets: [Float]

    /// Creates the content from its parts. The bits of unsigned integers are stored in `integers`.
    package init(
      integers: [Int8], scales: [Float], zeroPoints: [Int32] = [], offsets: [Float] = []
    ) {
      self.integers = integers
      self.scales = scales
      self.zeroPoints = zeroPoints
      self.offsets = offsets
    }
  }

  /// Returns the size of the stored bytes: the integers with padding to a multiple of 4, then
  /// scales, zero points and offsets in 4 bytes each.
  func byteCount(_ shape: [Int]) throws(WeighbridgeError) -> Int {
    guard (2...8).contains(bits) else {
      throw .malformed("integers have \(bits) bits, expected 2 to 8")
    }
    let blocks = try BlockGrid(shape, blockShape: blockShape).count
    let numbers = try Checked.product([blocks, 4, parametersPerBlock], of: "the size of scales")
    let packed = PackedBits.paddedByteCount(shape.reduce(1, *), bits: bits)
    return try Checked.sum(packed, numbers, of: "the size of a tensor")
  }

  private var parametersPerBlock: Int { 1 + (hasZeroPoints ? 1 : 0) + (hasOffsets ? 1 : 0) }

  /// Returns the stored bytes. Traps when the content does not fit the shape.
  package func encode(_ content: Content, shape: [Int]) -> [UInt8] {
    precondition(content.integers.count == shape.reduce(1, *))
    var bytes = PackedBits.packPadded(
      content.integers.lazy.map { UInt32(UInt8(bitPattern: $0)) }, bits: bits)
    bytes.append(content.scales)
    for zeroPoint in content.zeroPoints {
      bytes.append(littleEndian: Int(zeroPoint), byteCount: 4)
    }
    bytes.append(content.offsets)
    return bytes
  }

  /// Reads the integers and their scales.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when the number of bytes does not match the
  ///   shape.
  package func content(_ bytes: RawSpan, shape: [Int]) throws(WeighbridgeError) -> Content {
    guard try byteCount(shape) == bytes.byteCount else {
      throw .malformed("\(bytes.byteCount) bytes cannot be \(bits)-bit integers of shape \(shape)")
    }
    return parse(bytes, shape: shape)
  }

  private func parse(_ bytes: RawSpan, shape: [Int]) -> Content {
    let integers = PackedBits.unpack(
      bytes, count: shape.reduce(1, *), bits: bits, isSigned: isSigned)
    let parametersOffset = PackedBits.paddedByteCount(integers.count, bits: bits)
    let blocks = (bytes.byteCount - parametersOffset) / 4 / parametersPerBlock
    func parameters(_ index: Int) -> [UInt32] {
      bytes.words(blocks, at: parametersOffset + 4 * index * blocks)
    }
    return Content(
      integers: integers.map { Int8(truncatingIfNeeded: $0) },
      scales: parameters(0).map(Float.init(bitPattern:)),
      zeroPoints: hasZeroPoints ? parameters(1).map(Int32.init(bitPattern:)) : [],
      offsets: hasOffsets ? parameters(hasZeroPoints ? 2 : 1).map(Float.init(bitPattern:)) : [])
  }

  /// Decodes bytes whose number was checked with ``byteCount(_:)``.
  func decode(
    _ bytes: RawSpan, _ elementType: ElementType, shape: [Int]
  ) throws(WeighbridgeError) -> [UInt8] {
    let grid = try BlockGrid(shape, blockShape: blockShape)
    let packedBlocks = PackedBlocks(bits: bits, isSigned: isSigned, grid: grid)
    return try unsafe packedBlocks.decode(bytes, elementType) {
      integers, row, parameters, block, numbers in
      // Scales, zero points and offsets: 4 bytes each for every block.
      func list(_ index: Int) -> UnsafePointer<UInt8> {
        unsafe parameters + 4 * (index * grid.count + block)
      }
      var scales = unsafe elements_scales(
        scales: list(0), zero_points: hasZeroPoints ? list(1) : nil,
        offsets: hasOffsets ? list(hasZeroPoints ? 2 : 1) : nil)
      unsafe elements_scale(integers, &row, &scales, numbers)
    }
  }
}
