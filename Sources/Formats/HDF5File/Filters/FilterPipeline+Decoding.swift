import Bytes
import Deflate

extension FilterPipeline {
  /// Decodes a chunk or block, in the reverse order of the filters.
  ///
  /// - Parameters:
  ///   - bytes: The stored bytes.
  ///   - mask: The filters that were skipped, one bit each.
  ///   - byteCount: The required size of the result.
  /// - Throws: ``WeighbridgeError/Code/malformed``; ``WeighbridgeError/Code/unsupported`` for a
  ///   filter that cannot be decoded and was not skipped.
  func decode(
    _ bytes: [UInt8], mask: UInt32, to byteCount: Int
  ) throws(WeighbridgeError) -> [UInt8] {
    try check(mask: mask)
    var bytes = bytes
    var pending = steps.indices.filter { (mask >> UInt32($0)) & 1 == 0 }
    while let index = pending.popLast() {
      let step = steps[index]
      let size = size(after: pending, of: byteCount)
      switch step.filter {
      case .deflate: bytes = try Self.inflate(bytes, size)
      case .lzf: bytes = try LZF.decode(bytes, atMost: size.value)
      case .shuffle: bytes = Shuffle.decode(bytes, elementSize: step.parameters.first ?? 1)
      case .fletcher32: bytes = try Fletcher32.check(bytes)
      case nil: break
      }
    }
    guard bytes.count == byteCount else {
      let skipped = mask == 0 ? "" : ", with the filter mask \(mask)"
      throw .malformed(
        "\(bytes.count) bytes are unpacked, expected \(byteCount)\(skipped)")
    }
    return bytes
  }

  /// Returns the size of the data after some filters have been applied to `byteCount` bytes: the
  /// exact size, or an upper bound after a filter that compresses.
  private func size(after filters: [Int], of byteCount: Int) -> (value: Int, isExact: Bool) {
    var (size, isExact) = (byteCount, true)
    for index in filters {
      switch steps[index].filter {
      case .shuffle, nil: break
      case .fletcher32: size += 4
      case .deflate, .lzf:
        // Compression can slightly enlarge incompressible data.
        size += size / 16 + 64
        isExact = false
      }
    }
    return (size, isExact)
  }

  private static func inflate(
    _ bytes: [UInt8], _ size: (value: Int, isExact: Bool)
  ) throws(WeighbridgeError) -> [UInt8] {
    let minimumByteCount = size.isExact ? size.value / Inflater.largestRatio : 0
    guard minimumByteCount <= bytes.count else {
      throw .malformed("\(bytes.count) bytes cannot unpack to \(size.value)")
    }
    let largest = bytes.count.multipliedReportingOverflow(by: Inflater.largestRatio)
    let capacity = largest.overflow ? size.value : min(size.value, largest.partialValue)
    let outcome = unsafe Inflater.inflate(bytes.span.bytes, .zlib, byteCount: capacity)
    guard outcome.isComplete else {
      throw .malformed("filtered data is damaged: it does not unpack (gzip) to \(size.value) bytes")
    }
    return outcome.bytes
  }
}
