package import Bytes
import CKernels

/// Indices of 1 to 8 bits into tables of numbers, with a table for each block of the tensor.
package struct LookupTables: Hashable, Sendable {
  /// The bits of each index, 1 to 8; a table contains 2^bits numbers.
  package var bits: Int
  /// The size of the block that has a table along each axis.
  package var blockShape: [Int]

  /// Describes tables.
  package init(bits: Int, blockShape: [Int]) {
    self.bits = bits
    self.blockShape = blockShape
  }

  /// The indices and the tables.
  package struct Content: Sendable {
    /// The indices, row-major.
    package var positions: [UInt8]
    /// The concatenated tables of the blocks, row-major.
    package var tables: [Float]

    /// Creates the content from its parts.
    package init(positions: [UInt8], tables: [Float]) {
      self.positions = positions
      self.tables = tables
    }
  }

  /// Returns the size of the stored bytes: the indices with padding to a multiple of 4, then the
  /// tables in single precision.
  func byteCount(_ shape: [Int]) throws(WeighbridgeError) -> Int {
    guard (1...8).contains(bits) else {
      throw .malformed("indices have \(bits) bits, expected 1 to 8")
    }
    let blocks = try BlockGrid(shape, blockShape: blockShape).count
    let tables = try Checked.product([blocks, 4 << bits], of: "the size of lookup tables")
    let packed = PackedBits.paddedByteCount(shape.reduce(1, *), bits: bits)
    return try Checked.sum(packed, tables, of: "the size of a tensor")
  }

  /// Returns the stored bytes. Traps when the content does not fit the shape.
  package func encode(_ content: Content, shape: [Int]) -> [UInt8] {
    precondition(content.positions.count == shape.reduce(1, *))
    var bytes = PackedBits.packPadded(content.positions.lazy.map(UInt32.init), bits: bits)
    bytes.append(content.tables)
    return bytes
  }

  /// Reads the indices and tables.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when the number of bytes does not match the
  ///   shape.
  package func content(_ bytes: RawSpan, shape: [Int]) throws(WeighbridgeError) -> Content {
    guard try byteCount(shape) == bytes.byteCount else {
      throw .malformed(
        "\(bytes.byteCount) bytes cannot be \(bits)-bit indices and tables of shape \(shape)")
    }
    return parse(bytes, shape: shape)
  }

  private func parse(_ bytes: RawSpan, shape: [Int]) -> Content {
    let count = shape.reduce(1, *)
    let tablesOffset = PackedBits.paddedByteCount(count, bits: bits)
    return Content(
      positions: PackedBits.unpack(bytes, count: count, bits: bits).map {
        UInt8(truncatingIfNeeded: $0)
      },
      tables: bytes.words((bytes.byteCount - tablesOffset) / 4, at: tablesOffset)
        .map(Float.init(bitPattern:)))
  }

  /// Decodes bytes whose number was checked with ``byteCount(_:)``.
  func decode(
    _ bytes: RawSpan, _ elementType: ElementType, shape: [Int]
  ) throws(WeighbridgeError) -> [UInt8] {
    let grid = try BlockGrid(shape, blockShape: blockShape)
    let packedBlocks = PackedBlocks(bits: bits, isSigned: false, grid: grid)
    return try unsafe packedBlocks.decode(bytes, elementType) {
      positions, row, tables, block, numbers in
      // A table of 2^bits numbers for each block.
      unsafe elements_look_up(positions, &row, tables + 4 * (block << bits), Int32(bits), numbers)
    }
  }
}
