import Bytes
import GraphIR

/// Numbers for all elements of a graph's weights of floating-point numbers, by which they are found
/// again where a computation has moved them.
///
/// A number is written in digits of base 128, and a graph that has one digit of each element in
/// place of its weights is computed for each digit. A digit is a value in (-2, -1] or [1, 2) that
/// every floating-point type has; no sum, product, root or absolute value of such values is one of
/// all digits.
struct NumberedElements {
  private static let digitBits = 7
  private static let factor = 0x9E37_79B1

  /// The weights, in the order of the numbers.
  let weights: [(value: ValueID, name: String, tensor: Tensor)]
  /// How many digits a number has: two at least, so that one alone does not decide.
  let digitCount: Int
  /// The number of the first element of each weight, and the count of all.
  private let starts: [Int]

  init(_ graph: Graph) {
    weights = graph.values.enumerated().compactMap { index, value in
      guard let tensor = value.constant, tensor.elementType.isFloat else { return nil }
      return (ValueID(index), value.name, tensor)
    }
    starts = weights.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1.tensor.count) }
    var digits = 2
    while starts[starts.count - 1] > 1 << (digits * Self.digitBits) { digits += 1 }
    digitCount = digits
  }

  private var mask: Int { 1 << (digitCount * Self.digitBits) - 1 }

  /// The graph's weights with a digit of each number, or of those of one weight only.
  func digits(_ digit: Int, of chosen: Int? = nil) -> [ValueID: Tensor] {
    let chosen = chosen.map { $0..<$0 + 1 } ?? weights.indices
    return Dictionary(
      uniqueKeysWithValues: chosen.map { position in
        let (value, _, tensor) = weights[position]
        let numbers = (0..<tensor.count).map { element -> Double in
          // Neighbors differ in all digits, so that no weight looks uniform.
          let number = ((starts[position] + element) &* Self.factor) & mask
          let value = (number >> (digit * Self.digitBits)) & (1 << Self.digitBits - 1)
          return (value % 2 == 0 ? 1 : -1) * (1 + Double(value) / 128)
        }
        return (value, Tensor(tensor.elementType, shape: tensor.shape, numbers))
      })
  }

  /// The digit that a value is; `nil` if it is none.
  private static func digit(_ value: Double) -> Int? {
    guard abs(value) >= 1, abs(value) < 2, let digit = Int(exactly: (abs(value) - 1) * 128),
      (digit % 2 == 0) == (value > 0)
    else { return nil }
    return digit
  }

  /// The elements that a tensor consists of, given as each of their digits; `nil` if it has other
  /// numbers, which are computed.
  func elements(_ digits: [Tensor]) -> [(weight: Int, element: Int)]? {
    var numbers = [Int](repeating: 0, count: digits[0].count)
    for (position, tensor) in digits.enumerated() {
      for (index, value) in tensor.doubles.enumerated() {
        guard let digit = Self.digit(value) else { return nil }
        numbers[index] |= digit << (position * Self.digitBits)
      }
    }
    var inverse = 1
    for _ in 0..<6 { inverse &*= 2 &- Self.factor &* inverse }  // Newton's iteration, modulo 2^64
    var (elements, weight) = ([(weight: Int, element: Int)](), 0)
    elements.reserveCapacity(numbers.count)
    for number in numbers {
      let element = (number &* inverse) & mask
      guard element < starts[starts.count - 1] else { return nil }
      if !(starts[weight]..<starts[weight + 1]).contains(element) {
        weight = self.weight(of: element)
      }
      elements.append((weight, element - starts[weight]))
    }
    return elements
  }

  /// The position of the weight with an element, by its number.
  private func weight(of element: Int) -> Int {
    var range = weights.indices
    while range.count > 1 {
      let middle = range.lowerBound + range.count / 2
      range = starts[middle] <= element ? middle..<range.upperBound : range.lowerBound..<middle
    }
    return range.lowerBound
  }
}
