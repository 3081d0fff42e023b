import ImageSearch

extension CompositionResult {
  fileprivate var cells: [String] {
    let terms = match.terms
    let numbers = [
      match.cost, terms.presence, terms.relativePosition, terms.size, terms.relativeSize,
    ]
    let labels = detections.map { $0.label ?? "" }
    return [path] + numbers.map(\.thousandths) + [labels.joined(separator: ", ")]
  }
}

extension [CompositionResult] {
  /// Returns a table with the unweighted terms.
  func text(_ query: CompositionQuery) -> String {
    guard !isEmpty else {
      return "no image costs less than \(query.maximumCost.thousandths)"
    }
    var table = Table(
      ["image", "cost", "presence", "position", "size", "relative size", "found"],
      rightAligned: [1, 2, 3, 4, 5])
    for result in self { table.append(result.cells) }
    let weights = query.weights
    let factors = [weights.presence, weights.relativePosition, weights.size, weights.relativeSize]
    let line =
      "The cost is the sum of the terms times "
      + factors.map { "\($0)" }.joined(separator: ", ") + "; "
    let isExact = allSatisfy { $0.match.method == .exact }
    return table.text + "\n" + line
      + (isExact
        ? "objects are assigned exactly."
        : "with more than \(CompositionQuery.exactObjectCount) objects the assignment may not be "
          + "the best one.")
  }
}

extension Double {
  /// With three decimals.
  var thousandths: String { text(decimals: 3) }

  /// Returns the number with a fixed number of decimals, in any locale; unrounded if it has more
  /// than 15 digits.
  func text(decimals: Int) -> String {
    let unit = (0..<decimals).reduce(1) { unit, _ in 10 * unit }
    guard magnitude * Double(unit) < 1e15 else { return "\(self)" }
    let number = Int((magnitude * Double(unit)).rounded())
    let digits = String(number % unit)
    let sign = self < 0 && number > 0 ? "-" : ""
    return "\(sign)\(number / unit)." + String(repeating: "0", count: decimals - digits.count)
      + digits
  }
}
