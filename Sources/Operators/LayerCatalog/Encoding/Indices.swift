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
    if elementType.isInteger {
      // `Double` cannot represent all of them.
      let numbers = wrappedIntegers
      if elementType == .uint64, let number = numbers.first(where: { $0 < 0 }) {
        throw .mismatch("\(UInt64(bitPattern: number)) is not a signed 64-bit integer")
      }
      return numbers.map { Int($0) }
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
