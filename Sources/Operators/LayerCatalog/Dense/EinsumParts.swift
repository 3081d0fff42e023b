import Bytes
import GraphIR

/// The axes of ``EinsumDense``, grouped by the tensors that have them.
struct EinsumParts {
  /// In input, kernel and output.
  private let shared: [Character]
  /// In input and output.
  private let free: [Character]
  /// In kernel and output.
  private let new: [Character]
  /// In input and kernel: summed over.
  private let contracted: [Character]
  /// Only in the input: summed over.
  private let summed: [Character]
  private let input: AxisLabels
  private let kernel: AxisLabels
  private let output: AxisLabels

  init(input: AxisLabels, kernel: AxisLabels, output: AxisLabels) {
    let (own, kept) = (Set(kernel.letters), Set(output.letters))
    shared = input.letters.filter { own.contains($0) && kept.contains($0) }
    free = input.letters.filter { !own.contains($0) && kept.contains($0) }
    contracted = input.letters.filter { own.contains($0) && !kept.contains($0) }
    summed = input.letters.filter { !own.contains($0) && !kept.contains($0) }
    new = kernel.letters.filter { !input.letters.contains($0) }
    (self.input, self.kernel, self.output) = (input, kernel, output)
  }

  /// The sums of the products, in the output's axes, as float64.
  func products(of elements: Tensor, _ weights: Tensor, workers: Workers) -> Tensor {
    var dimensions: [Character: Int] = [:]
    for (letter, dimension) in zip(input.letters, elements.shape) { dimensions[letter] = dimension }
    for (letter, dimension) in zip(kernel.letters, weights.shape) { dimensions[letter] = dimension }
    func size(_ letters: [Character]) -> Int { letters.reduce(1) { $0 * (dimensions[$1] ?? 1) } }
    let rows = turned(elements, input, shared + free + contracted + summed).doubles
    let columns = turned(weights, kernel, shared + new + contracted).doubles
    let (depth, inner, width, run) = (size(contracted), size(summed), size(new), size(free))
    let parts = workers.map(size(shared) * run) { row in
      let element = Self.sums(rows, from: row * depth * inner, count: depth, each: inner)
      let first = row / run * width
      return (first..<first + width).map { column in
        Self.product(element, columns, from: column * depth)
      }
    }
    let order = shared + free + new
    let result = Tensor(
      .float64, shape: order.map { dimensions[$0] ?? 1 }, parts.flatMap { $0 })
    return result.permuted(output.letters.compactMap(order.firstIndex))
  }

  private func turned(
    _ tensor: Tensor, _ labels: AxisLabels, _ order: [Character]
  ) -> Tensor {
    tensor.permuted(order.compactMap(labels.letters.firstIndex))
  }

  /// Returns the sums of `each` consecutive elements at a time.
  private static func sums(
    _ numbers: [Double], from start: Int, count: Int, each: Int
  ) -> [Double] {
    if each == 1 { return Array(numbers[start..<start + count]) }
    return (0..<count).map { index in
      numbers[start + index * each..<start + (index + 1) * each].reduce(0, +)
    }
  }

  private static func product(_ first: [Double], _ second: [Double], from start: Int) -> Double {
    var sum = 0.0
    let (first, second) = (first.span, second.span)
    for index in 0..<first.count { sum += first[index] * second[start + index] }
    return sum
  }
}
