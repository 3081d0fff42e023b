import GraphIR

extension OperatorExample {
  /// Describes the differences between outputs computed in `Double` in two ways.
  static func differences(_ got: [Tensor], _ wanted: [Tensor], _ what: String) -> [String] {
    guard got.map(\.type) == wanted.map(\.type) else {
      return ["\(what): makes \(got.map(\.type)), and \(wanted.map(\.type)) is wanted"]
    }
    return zip(got, wanted).compactMap { got, wanted in
      let (got, wanted) = (got.doubles, wanted.doubles)
      let scale = wanted.lazy.filter(\.isFinite).map(abs).max() ?? 0
      let position = zip(got, wanted).enumerated().first {
        !isSame($0.element.0, $0.element.1, within: 1e-12 * (1 + scale))
      }?.offset
      return position.map {
        "\(what): element \($0) is \(got[$0]), and \(wanted[$0]) is wanted"
      }
    }
  }

  private static func isSame(_ first: Double, _ second: Double, within bound: Double) -> Bool {
    first == second || (first.isNaN && second.isNaN) || abs(first - second) <= bound
  }

  /// Returns all permutations of the given number of axes.
  static func permutations(of count: Int) -> [[Int]] {
    (0..<count).reduce([[]]) { orders, axis in
      orders.flatMap { order in
        (0...order.count).map { place in
          Array(order[..<place]) + [axis] + Array(order[place...])
        }
      }
    }
  }
}
