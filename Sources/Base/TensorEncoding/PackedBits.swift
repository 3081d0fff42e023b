import Bytes
import CKernels

/// Consecutive numbers of 1 to 16 bits, each starting with its lowest bit, in bytes that are filled
/// from the lowest bit up.
enum PackedBits {
  /// Returns the number of bytes that numbers take; the bits after the last number are 0.
  static func byteCount(_ count: Int, bits: Int) -> Int { (count * bits + 7) / 8 }

  /// Packs the lowest bits of numbers.
  static func pack(_ numbers: some Collection<UInt32>, bits: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(byteCount(numbers.count, bits: bits))
    var (word, bitCount): (UInt32, Int) = (0, 0)
    for number in numbers {
      word |= (number & (1 << UInt32(bits) - 1)) << UInt32(bitCount)
      bitCount += bits
      while bitCount >= 8 {
        bytes.append(UInt8(truncatingIfNeeded: word))
        word >>= 8
        bitCount -= 8
      }
    }
    if bitCount > 0 { bytes.append(UInt8(truncatingIfNeeded: word)) }
    return bytes
  }

  /// Returns the number of bytes that numbers take with padding to a multiple of 4, so that numbers
  /// of 4 bytes can follow.
  static func paddedByteCount(_ count: Int, bits: Int) -> Int {
    (byteCount(count, bits: bits) + 3) / 4 * 4
  }

  /// Packs the lowest bits of numbers, with zero padding to a multiple of 4 bytes.
  static func packPadded(_ numbers: some Collection<UInt32>, bits: Int) -> [UInt8] {
    let bytes = pack(numbers, bits: bits)
    let size = paddedByteCount(numbers.count, bits: bits)
    return bytes + [UInt8](repeating: 0, count: size - bytes.count)
  }

  /// Unpacks numbers. The bytes must contain them all.
  static func unpack(
    _ bytes: RawSpan, count: Int, bits: Int, isSigned: Bool = false
  ) -> [Int32] {
    precondition(byteCount(count, bits: bits) <= bytes.byteCount)
    return unsafe bytes.withUnsafeBytes { bytes in
      unsafe [Int32](unsafeUninitializedCapacity: count) { buffer, filledCount in
        var numbers = unsafe packed(bytes, bits: bits, isSigned: isSigned)
        // In bounds, as checked above.
        unsafe elements_unpack(&numbers, 0, count, buffer.baseAddress)
        filledCount = count
      }
    }
  }

  /// Describes packed numbers for C functions.
  static func packed(
    _ bytes: UnsafeRawBufferPointer, bits: Int, isSigned: Bool = false
  ) -> elements_packed {
    unsafe elements_packed(
      bytes: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), byte_count: bytes.count,
      bits: Int32(bits), is_signed: isSigned)
  }
}

/// Elements that are packed numbers, with common parameters for each block.
struct PackedBlocks {
  let bits: Int
  let isSigned: Bool
  let grid: BlockGrid

  /// Decodes elements.
  ///
  /// - Parameters:
  ///   - bytes: All packed numbers, and the parameters of the blocks after them.
  ///   - body: Writes the values of elements of a row, given their unpacked numbers, the parameters
  ///     of the blocks, and the block that contains column 0 of the row.
  func decode(
    _ bytes: RawSpan, _ elementType: ElementType,
    _ body:
      @Sendable (
        UnsafePointer<Int32>, _ row: inout elements_row, _ parameters: UnsafePointer<UInt8>,
        _ block: Int, UnsafeMutablePointer<Float>
      ) -> Void
  ) throws(WeighbridgeError) -> [UInt8] {
    let count = grid.elementCount
    let size = PackedBits.paddedByteCount(count, bits: bits)
    precondition(size <= bytes.byteCount)
    return try unsafe bytes.withUnsafeBytes { (bytes) throws(WeighbridgeError) in
      nonisolated(unsafe) let source = unsafe bytes  // only read, until all threads have finished
      return try unsafe FloatElements.decode(count: count, elementType) { elements, numbers in
        guard let start = unsafe source.baseAddress?.assumingMemoryBound(to: UInt8.self) else {
          return
        }
        var packed = unsafe PackedBits.packed(source, bits: bits, isSigned: isSigned)
        unsafe withUnsafeTemporaryAllocation(of: Int32.self, capacity: elements.count) { unpacked in
          guard let integers = unpacked.baseAddress else { return }
          // Parts of elements begin at multiples of 8.
          unsafe elements_unpack(&packed, elements.lowerBound, elements.count, integers)
          grid.forEachRow(in: elements) { part, column, block in
            let offset = part.lowerBound - elements.lowerBound
            var row = elements_row(
              count: part.count, column: column, block_width: grid.blockWidth)
            unsafe body(integers + offset, &row, start + size, block, numbers + offset)
          }
        }
      }
    }
  }
}
