import GraphIR

/// An equation such as `bij,bjk->bik`, with a letter for each axis of each operand.
struct EinsumEquation {
  /// The letters of each operand.
  private(set) var terms: [[Character]]
  /// The letters of the output.
  let output: [Character]

  /// The letters of axes that an ellipsis stands for, which no equation has itself.
  private static let ellipsisLetters = (0x2460..<0x2470).compactMap(Unicode.Scalar.init).map {
    Character($0)
  }

  /// Reads an equation. Without `->`, the output has the axes of the ellipses, then the letters that
  /// occur once, in alphabetical order.
  ///
  /// - Parameter ranks: The number of axes of each operand.
  /// - Returns: `nil` if the equation is none, or not one of such operands.
  init?(_ equation: String, ranks: [Int]) {
    let compact = equation.filter { $0 != " " }
    let arrow = compact.firstRange(of: "->")
    let inputs = compact[..<(arrow?.lowerBound ?? compact.endIndex)]
    let parts = inputs.split(separator: ",", omittingEmptySubsequences: false).map(Self.parts)
    let operands = parts.compactMap { $0 }
    guard operands.count == parts.count, operands.count == ranks.count else { return nil }
    var ellipsisRanks: [Int] = []
    for (operand, rank) in zip(operands, ranks) {
      let covered = rank - operand.joined().count
      guard operand.count == 2 ? (0...Self.ellipsisLetters.count).contains(covered) : covered == 0
      else { return nil }
      ellipsisRanks.append(covered)
    }
    // Axes of ellipses are aligned at the last one.
    let ellipsis = Self.ellipsisLetters.prefix(ellipsisRanks.max() ?? 0)
    terms = zip(operands, ellipsisRanks).map { operand, rank in
      operand.count == 2 ? operand[0] + ellipsis.suffix(rank) + operand[1] : operand[0]
    }
    let letters = operands.joined().joined()
    if let arrow {
      guard let parts = Self.parts(compact[arrow.upperBound...]),
        parts.count == 2 || ellipsis.isEmpty
      else { return nil }
      output = parts.count == 2 ? parts[0] + ellipsis + parts[1] : parts[0]
    } else {
      let counts = Dictionary(letters.map { ($0, 1) }, uniquingKeysWith: +)
      output = ellipsis + counts.filter { $0.value == 1 }.keys.sorted()
    }
    guard Set(output).count == output.count, Set(output).isSubset(of: terms.joined()) else {
      return nil
    }
  }

  /// The letters before and after an ellipsis, or all in one list; `nil` if there is anything else.
  private static func parts(_ term: Substring) -> [[Character]]? {
    var parts = [Array(term)]
    if let dots = term.firstRange(of: "...") {
      parts = [Array(term[..<dots.lowerBound]), Array(term[dots.upperBound...])]
    }
    return parts.joined().allSatisfy { $0.isASCII && $0.isLetter } ? parts : nil
  }
}
