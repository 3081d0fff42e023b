import Bytes
import CKernels

extension RANSLayout {
  /// The number of integers of a chunk that are decoded at a time: they fit in the L1 cache.
  private static let blockSize = 1 << 12

  /// Decodes a chunk.
  ///
  /// - Parameter body: Receives a range of elements of the tensor, their row, and their integers.
  /// - Returns: Whether its bytes are what an encoder writes.
  func decode(
    _ chunk: Chunk, _ source: UnsafeRawBufferPointer,
    _ body: (_ row: Int, _ elements: Range<Int>, UnsafePointer<Int32>) -> Void
  ) -> Bool {
    unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: chunk.size) { symbols in
      unsafe withUnsafeTemporaryAllocation(of: Int32.self, capacity: Self.blockSize) { block in
        // The layout's ranges come from these bytes.
        let coded = unsafe UnsafeRawBufferPointer(rebasing: source[chunk.symbols])
        guard
          unsafe RANSCoder.decode(coded, slots[chunk.classIndex], lanes: lanes, to: symbols),
          let allSymbols = unsafe UnsafePointer(symbols.baseAddress),
          let integers = block.baseAddress
        else { return false }
        var digits = unsafe digits(of: chunk, source)
        for first in stride(from: 0, to: chunk.size, by: Self.blockSize) {
          let part = first..<min(first + Self.blockSize, chunk.size)
          guard unsafe elements_integers(allSymbols + first, first, part.count, &digits, integers)
          else {
            return false
          }
          forEachRow(of: chunk, part) { row, elements, position in
            unsafe body(row, elements, integers + (position - first))
          }
        }
        return unsafe digits.escape_count == 0
      }
    }
  }

  private func digits(of chunk: Chunk, _ source: UnsafeRawBufferPointer) -> elements_digits {
    let table = digits[chunk.classIndex]
    return unsafe elements_digits(
      zero: Int32(table.zero), escape: Int32(DigitTable.escape),
      low: PackedBits.packed(
        UnsafeRawBufferPointer(rebasing: source[chunk.lowBits]), bits: table.lowBits),
      escapes: UnsafeRawBufferPointer(rebasing: source[chunk.escapes]).baseAddress?
        .assumingMemoryBound(to: UInt8.self),
      escape_count: chunk.escapes.count / 4,
      largest: isDependent ? UInt32(DependentQuantization.largest) : .max)
  }

  /// Decodes a chunk into the values of its rows.
  func decode(_ chunk: Chunk, _ source: UnsafeRawBufferPointer, to target: FloatTarget) -> Bool {
    unsafe decode(chunk, source) { row, elements, integers in
      let step = steps[steps.count == 1 ? 0 : row]
      unsafe withUnsafeBytes(of: step) { step in
        var part = elements_row(count: elements.count, column: 0, block_width: elements.count)
        var scales = unsafe elements_scales(
          scales: step.baseAddress?.assumingMemoryBound(to: UInt8.self), zero_points: nil,
          offsets: nil)
        unsafe target.write(elements) { unsafe elements_scale(integers, &part, &scales, $0) }
      }
    }
  }

  /// Decodes a chunk into the integers of its rows, of 4 bytes each.
  func decode(
    _ chunk: Chunk, _ source: UnsafeRawBufferPointer,
    integersTo memory: UnsafeMutableRawBufferPointer
  ) -> Bool {
    unsafe decode(chunk, source) { _, elements, integers in
      unsafe UnsafeMutableRawBufferPointer(
        rebasing: memory[4 * elements.lowerBound..<4 * elements.upperBound]
      ).copyMemory(from: UnsafeRawBufferPointer(start: integers, count: 4 * elements.count))
    }
  }

  /// Calls `body` for each row that contains some of a chunk's integers, with the row, the range of
  /// the elements in the tensor and the index of the first integer in the chunk.
  private func forEachRow(
    of chunk: Chunk, _ integers: Range<Int>,
    _ body: (_ row: Int, _ elements: Range<Int>, _ first: Int) -> Void
  ) {
    var position = integers.lowerBound
    while position < integers.upperBound {
      let (index, column) = (chunk.first + position).quotientAndRemainder(dividingBy: columns)
      let size = min(columns - column, integers.upperBound - position)
      let row = classes[chunk.classIndex][index]
      let start = row * columns + column
      body(row, start..<start + size, position)
      position += size
    }
  }
}
