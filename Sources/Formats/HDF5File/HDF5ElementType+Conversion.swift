import Bytes

extension HDF5ElementType {
  /// The conversion of elements in a file to little-endian numbers.
  enum Conversion {
    case none
    case byteOrder
    /// Of integers of any width, within any bits of an element.
    case integer(IntegerLayout)
    /// Of floating-point numbers of any layout.
    case float(FloatLayout)
  }

  /// Converts elements from their encoding in the file to little-endian numbers of the type.
  func convert(_ bytes: inout [UInt8]) {
    switch conversion {
    case .none: break
    case .byteOrder: swapBytes(&bytes)
    case .integer(let layout): bytes = encode(bytes, layout.bitPattern)
    case .float(let layout) where elementType == .float32:
      bytes = encode(bytes) { UInt64(Float(layout.value($0)).bitPattern) }
    case .float(let layout): bytes = encode(bytes) { layout.value($0).bitPattern }
    }
  }

  private func swapBytes(_ bytes: inout [UInt8]) {
    let size = storedByteCount
    for start in stride(from: 0, to: bytes.count, by: size) {
      for index in 0..<size / 2 { bytes.swapAt(start + index, start + size - 1 - index) }
    }
  }

  /// - Parameter bits: Returns the bits of an element as a number of the type.
  private func encode(
    _ bytes: [UInt8], _ bits: (ArraySlice<UInt8>) -> UInt64
  ) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(bytes.count / storedByteCount * elementType.byteCount)
    for start in stride(from: 0, to: bytes.count, by: storedByteCount) {
      var bits = bits(bytes[start..<start + storedByteCount])
      for _ in 0..<elementType.byteCount {
        output.append(UInt8(truncatingIfNeeded: bits))
        bits >>= 8
      }
    }
    return output
  }
}
