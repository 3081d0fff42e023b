package import Bytes
package import GraphIR

extension Tensor {
  /// The elements as indices; fractions are dropped, as in a cast to integers.
  ///
  /// - Parameter areFromEnd: Whether those below 0 count from the end, and become the equivalent ones.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` for an element outside of `0..<count`, or of
  ///   `-count..<count`.
  package func indices(
    below count: Int, areFromEnd: Bool = false
  ) throws(WeighbridgeError) -> [Int] {
    let lowest = areFromEnd ? -count : 0
    var result: [Int] = []
    for (position, element) in doubles.enumerated() {
      guard let index = Int(exactly: element.rounded(.towardZero)),
        (lowest..<count).contains(index)
      else {
        throw .mismatch(
          "element \(position) is \(element), not an index from \(lowest) to \(count - 1)")
      }
      result.append(index < 0 ? index + count : index)
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
