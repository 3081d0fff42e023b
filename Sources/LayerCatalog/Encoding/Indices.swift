import Bytes
import GraphIR

extension Tensor {
  /// The elements as indices; a fraction is dropped, as a cast to whole numbers does it.
  ///
  /// - Throws: ``WeighbridgeError/Code/mismatch`` for an element outside of `0..<count`.
  func indices(below count: Int) throws(WeighbridgeError) -> [Int] {
    var result: [Int] = []
    for (position, element) in doubles.enumerated() {
      guard let index = Int(exactly: element.rounded(.towardZero)), (0..<count).contains(index)
      else {
        throw WeighbridgeError(
          .mismatch,
          "element \(position) is \(element), and an index of 0 to \(count - 1) is needed")
      }
      result.append(index)
    }
    return result
  }
}
