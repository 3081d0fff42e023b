import Bytes

/// Reads a `.npy` file in a range of a store.
enum NPYReader {
  /// Reads the array. Its elements stay in the store if they are little-endian and row-major.
  ///
  /// - Parameter memory: The number of bytes that may still be converted; reduced by the size of
  ///   the array.
  static func array(
    named name: String, in store: ByteStore, _ range: Range<Int>, memory: inout Int,
    limits: NumPyLimits
  ) throws(WeighbridgeError) -> NumPyArray {
    let header = try store.withBytes { (bytes) throws(WeighbridgeError) in
      try NPYHeader(bytes.extracting(range), limits: limits)
    }
    let data = range.lowerBound + header.byteCount..<range.upperBound
    let size = try header.dataByteCount()
    guard data.count == size else {
      throw .malformed(
        "holds \(data.count) bytes of elements, but shape \(header.shape) of \(header.elementType) needs \(size)"
      ).at(.byte(header.byteCount))
    }
    let isTransposed = header.isFortranOrder && header.shape.count { $0 != 1 } > 1
    guard header.isBigEndian || isTransposed else {
      return try NumPyArray(
        name: name, elementType: header.elementType, shape: header.shape, storage: store,
        range: data)
    }
    memory -= size
    guard memory >= 0 else {
      throw .limitExceeded("needs \(size) bytes to be converted, which exceeds the memory limit")
    }
    let converted = store.withBytes { bytes in
      convert(bytes.extracting(data), header, isTransposed: isTransposed)
    }
    return try NumPyArray(
      name: name, elementType: header.elementType, shape: header.shape, bytes: converted)
  }

  private static func convert(
    _ bytes: RawSpan, _ header: NPYHeader, isTransposed: Bool
  ) -> [UInt8] {
    var result = [UInt8](repeating: 0, count: bytes.byteCount)
    // In Fortran order, the first axis varies fastest.
    var strides: [Int] = []
    var stride = 1
    for dimension in header.shape {
      strides.append(stride)
      stride *= dimension
    }
    if !isTransposed {
      strides = header.shape.indices.map { header.shape[($0 + 1)...].reduce(1, *) }
    }
    var span = result.mutableSpan
    unsafe StridedCopy(
      shape: header.shape, strides: strides, elementSize: header.elementType.byteCount
    ).copy(from: bytes, offset: 0, into: span.mutableBytes)
    if header.isBigEndian { reverse(&result, elementSize: header.elementType.byteCount) }
    return result
  }

  /// Reverses the bytes of each element.
  private static func reverse(_ bytes: inout [UInt8], elementSize: Int) {
    for start in Swift.stride(from: 0, to: bytes.count, by: elementSize) {
      for index in 0..<elementSize / 2 {
        bytes.swapAt(start + index, start + elementSize - 1 - index)
      }
    }
  }
}
