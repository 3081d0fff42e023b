import Weighbridge

extension ModelDifferences {
  /// The differences as text: one per line, then the verdict.
  var text: String {
    var lines = items.map { item in
      let kind = item.kind.rawValue
      let name = kind + String(repeating: " ", count: max(0, 9 - kind.count))
      return "  \(item.counts ? "differs" : "note   ")  \(name)  \(item.location)\(item.reason)"
        + (item.difference.map { "; \($0.summary)" } ?? "")
    }
    let size =
      "\(pairedOperators) operators and \(comparedWeights) weights "
      + "(\(comparedNumbers.grouped) numbers)"
    let count = items.count { $0.counts }
    lines.append(
      isEmpty
        ? "the same: \(size)" : "different: \(count) differences; compared \(size)")
    return lines.joined(separator: "\n")
  }
}

extension ModelDifferences.Item {
  /// The layers that the difference concerns.
  fileprivate var location: String {
    switch (first, second) {
    case (let first?, let second?): first == second ? "\(first): " : "\(first) | \(second): "
    case (let layer?, nil), (nil, let layer?): "\(layer): "
    case (nil, nil): ""
    }
  }
}

extension TensorDifference {
  /// The largest errors.
  fileprivate var summary: String {
    nonFiniteMismatches > 0
      ? "\(nonFiniteMismatches) are NaN or infinite in one only"
      : "max abs \(maxAbsolute.scientific), max rel \(maxRelative.scientific)"
  }
}
