import GraphIR

extension OperatorExample {
  /// Describes the differences between outputs computed in `Double` in two ways.
  static func differences(_ actual: [Tensor], _ expected: [Tensor], _ what: String) -> [String] {
    guard actual.map(\.type) == expected.map(\.type) else {
      return ["\(what): makes \(actual.map(\.type)), expected \(expected.map(\.type))"]
    }
    return zip(actual, expected).compactMap { actual, expected in
      let (actual, expected) = (actual.doubles, expected.doubles)
      let scale = expected.lazy.filter(\.isFinite).map(abs).max() ?? 0
      let index = zip(actual, expected).enumerated().first {
        !isSame($0.element.0, $0.element.1, within: 1e-12 * (1 + scale))
      }?.offset
      return index.map {
        "\(what): element \($0) is \(actual[$0]), expected \(expected[$0])"
      }
    }
  }

  private static func isSame(_ lhs: Double, _ rhs: Double, within bound: Double) -> Bool {
    lhs == rhs || (lhs.isNaN && rhs.isNaN) || abs(lhs - rhs) <= bound
  }

  /// Returns all permutations of the given number of axes.
  static func permutations(of count: Int) -> [[Int]] {
    (0..<count).reduce([[]]) { orders, axis in
      orders.flatMap { order in
        (0...order.count).map { position in
          Array(order[..<position]) + [axis] + Array(order[position...])
        }
      }
    }
  }
}
