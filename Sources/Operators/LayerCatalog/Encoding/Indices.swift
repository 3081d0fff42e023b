package import Bytes
package import GraphIR

extension Tensor {
  /// The elements as indices; fractions are dropped, as in a cast to integers.
  ///
  /// - Throws: ``WeighbridgeError/Code/mismatch`` for an element outside of `0..<count`.
  package func indices(below count: Int) throws(WeighbridgeError) -> [Int] {
    var result: [Int] = []
    for (position, element) in doubles.enumerated() {
      guard let index = Int(exactly: element.rounded(.towardZero)), (0..<count).contains(index)
      else {
        throw .mismatch(
          "element \(position) is \(element), not an index from 0 to \(count - 1)")
      }
      result.append(index)
    }
    return result
  }

  /// The elements as exact integers; fractions are dropped.
  ///
  /// - Throws: ``WeighbridgeError/Code/mismatch`` for an element that does not fit in 64 bits.
  func truncatedIntegers() throws(WeighbridgeError) -> [Int] {
    if elementType == .int64 {
      // `Double` cannot represent all of them.
      return contiguousBytes().withUnsafeBytes { bytes in
        (0..<count).map {
          Int(Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: $0 * 8, as: Int64.self)))
        }
      }
    }
    var numbers: [Int] = []
    for element in doubles {
      guard let number = Int(exactly: element.rounded(.towardZero)) else {
        throw .mismatch("\(element) is not a 64-bit integer")
      }
      numbers.append(number)
    }
    return numbers
  }
}
