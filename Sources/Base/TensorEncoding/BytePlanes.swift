package import Bytes
import CKernels

/// The bytes of elements split into planes, the most significant first. The upper bytes of trained
/// weights are similar and therefore entropy-coded; the others are stored unchanged.
///
/// Elements of a floating-point type are first rotated to the left by one bit, so that the sign
/// follows the mantissa and the exponent fills the first planes.
package enum BytePlanes {
  /// Encodes elements.
  ///
  /// - Parameter bytes: The elements, row-major, little-endian.
  package static func encode(_ bytes: RawSpan, _ elementType: ElementType) -> [UInt8] {
    let width = elementType.byteCount
    let count = bytes.byteCount / width
    let planes = split(bytes, width: width, rotated: elementType.isFloat)
    let lanes = RANSCoder.lanes(count)
    let tables = planes.map { plane in table(plane, lanes: lanes) }
    var stored = tables.map { UInt8($0 == nil ? 0 : 1) }
    stored.append(UInt8(lanes.trailingZeroBitCount))
    for case .some(let table) in tables { stored += table.serialized }
    var (directory, chunks): ([UInt8], [UInt8]) = ([], [])
    var start = 0
    for size in RANSCoder.chunks(count) {
      for (plane, table) in zip(planes, tables) {
        let chunk = plane[start..<start + size]
        guard let table else {
          chunks += chunk
          continue
        }
        let coded = RANSCoder.encode(chunk, table, lanes: lanes)
        directory.append(littleEndian: coded.count, byteCount: 4)
        chunks += coded
      }
      start += size
    }
    return stored + directory + chunks
  }

  /// Returns the table of a plane; `nil` if entropy coding does not make the plane smaller.
  private static func table(_ plane: [UInt8], lanes: Int) -> SymbolTable? {
    var counts = [Int](repeating: 0, count: 256)
    for byte in plane { counts[Int(byte)] += 1 }
    guard let table = SymbolTable(counts: counts) else { return nil }
    let chunks = RANSCoder.chunks(plane.count).count
    let size = table.bits(counts) / 8 + Double(table.serialized.count + chunks * (4 + 4 * lanes))
    return size < Double(plane.count) ? table : nil
  }

  private static func split(_ bytes: RawSpan, width: Int, rotated: Bool) -> [[UInt8]] {
    let count = bytes.byteCount / width
    let all = unsafe [UInt8](unsafeUninitializedCapacity: width * count) { buffer, filledCount in
      unsafe bytes.withUnsafeBytes {
        // The buffer has the size of all planes.
        unsafe elements_split($0.baseAddress, count, Int32(width), rotated, buffer.baseAddress)
      }
      filledCount = width * count
    }
    return (0..<width).map { Array(all[$0 * count..<($0 + 1) * count]) }
  }

  /// Decodes `count` elements.
  static func decode(
    _ bytes: RawSpan, _ elementType: ElementType, count: Int
  ) throws(WeighbridgeError) -> [UInt8] {
    let layout = try Layout(bytes, width: elementType.byteCount, count: count)
    return try unsafe bytes.withUnsafeBytes { (bytes) throws(WeighbridgeError) in
      nonisolated(unsafe) let source = unsafe bytes  // only read, until all threads have finished
      return try unsafe ParallelParts.decode(
        byteCount: count * elementType.byteCount, parts: layout.chunks.count
      ) { part, memory in
        unsafe layout.decode(part, source, rotated: elementType.isFloat, to: memory)
      }
    }
  }

  /// The layout of the stored bytes.
  private struct Layout: Sendable {
    let width: Int
    let lanes: Int
    /// For each plane, the slots of its table, or `nil` for bytes stored unchanged.
    let slots: [[UInt32]?]
    /// For each chunk, the number of its elements, and the byte range of each plane.
    let chunks: [(size: Int, planes: [Range<Int>])]

    init(_ bytes: RawSpan, width: Int, count: Int) throws(WeighbridgeError) {
      var cursor = ByteCursor(0..<bytes.byteCount)
      let modes = try cursor.bytes(width, from: bytes)
      let lanes = try cursor.integer(UInt8.self, from: bytes)
      guard modes.allSatisfy({ $0 <= 1 }), lanes <= 5 else {
        throw .malformed("the byte planes have an unknown mode or too many lanes")
      }
      var slots: [[UInt32]?] = []
      for mode in modes {
        slots.append(mode == 0 ? nil : RANSCoder.slots(try SymbolTable(&cursor, bytes)))
      }
      let sizes = try ChunkSizes.of(count, cursor.remaining)
      var directory = ByteCursor(
        try cursor.skip(4 * sizes.count * slots.count { $0 != nil }, in: bytes))
      var chunks: [(size: Int, planes: [Range<Int>])] = []
      for size in sizes {
        var planes: [Range<Int>] = []
        for slots in slots {
          let length = slots == nil ? size : Int(try directory.integer(UInt32.self, from: bytes))
          planes.append(try cursor.skip(length, in: bytes))
        }
        chunks.append((size, planes))
      }
      guard cursor.remaining == 0 else {
        throw .malformed("\(cursor.remaining) bytes follow the last chunk, expected none")
      }
      self.width = width
      self.lanes = 1 << Int(lanes)
      self.slots = slots
      self.chunks = chunks
    }

    /// Decodes a chunk into its part of the elements' memory; returns whether it succeeded.
    func decode(
      _ part: Int, _ source: UnsafeRawBufferPointer, rotated: Bool,
      to memory: UnsafeMutableRawBufferPointer
    ) -> Bool {
      let (size, ranges) = chunks[part]
      let codedPlaneCount = slots.count { $0 != nil }
      return unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: codedPlaneCount * size)
      {
        decoded in
        var planes: [UnsafePointer<UInt8>?] = unsafe []
        var unused = unsafe decoded[...]
        for (slots, range) in zip(slots, ranges) {
          let bytes = unsafe UnsafeRawBufferPointer(rebasing: source[range])
          guard let slots else {
            unsafe planes.append(bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
            continue
          }
          let plane = unsafe UnsafeMutableBufferPointer(rebasing: unused.prefix(size))
          guard unsafe RANSCoder.decode(bytes, slots, lanes: lanes, to: plane) else { return false }
          unsafe planes.append(UnsafePointer(plane.baseAddress))
          unsafe unused = unsafe unused.dropFirst(size)
        }
        let target = unsafe memory.baseAddress.map {
          unsafe $0 + part * RANSCoder.chunkSize * width
        }
        // Each plane has as many bytes as the chunk has elements, all of which fit in the target.
        unsafe elements_join(
          planes, size, Int32(width), rotated, target?.assumingMemoryBound(to: UInt8.self))
        return true
      }
    }
  }
}

/// Computes the sizes of chunks.
enum ChunkSizes {
  /// - Parameter byteCount: The number of remaining bytes; every chunk takes at least one.
  /// - Throws: ``WeighbridgeError/Code/malformed`` when there are too few.
  static func of(_ count: Int, _ byteCount: Int) throws(WeighbridgeError) -> [Int] {
    guard count / RANSCoder.chunkSize <= byteCount else {
      throw .malformed("\(byteCount) bytes cannot hold \(count) elements")
    }
    return RANSCoder.chunks(count)
  }
}
