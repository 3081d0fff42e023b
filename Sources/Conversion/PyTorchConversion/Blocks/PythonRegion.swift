/// Consecutive statements that read one value from outside, and give one that is read later.
struct PythonRegion: Hashable, Sendable {
  let range: Range<Int>
  /// The value that it reads.
  let entry: String
  /// The value that it gives.
  let exit: String
}

/// The regions of a method.
struct PythonRegions: Sendable {
  /// The most statements that a block with branches may have.
  private static let sizeLimit = 40

  private let statements: [PythonStatement]
  /// The last position at which each value is read; the number of statements for results.
  private var lastUses: [String: Int] = [:]
  /// Units from which blocks are made: a layer with the functions after it, or layers with branches
  /// that meet again.
  private(set) var units: [(region: PythonRegion, hasBranches: Bool)] = []

  init(_ method: PythonMethod) {
    statements = method.statements
    for (position, statement) in statements.enumerated() {
      for name in statement.expression.values { lastUses[name] = position }
    }
    for name in method.results.flatMap(\.values) { lastUses[name] = statements.count }
    findUnits()
  }

  /// The region of a range; `nil` if it reads or gives several values.
  func region(_ range: Range<Int>) -> PythonRegion? {
    var inside: Set<String> = []
    var entries: Set<String> = []
    for statement in statements[range] {
      entries.formUnion(statement.expression.values.filter { !inside.contains($0) })
      inside.formUnion(statement.outputs)
    }
    let exits = inside.filter { lastUses[$0, default: -1] >= range.upperBound }
    guard entries.count == 1, exits.count == 1, let entry = entries.first, let exit = exits.first
    else { return nil }
    return PythonRegion(range: range, entry: entry, exit: exit)
  }

  private mutating func findUnits() {
    var start = 0
    while start < statements.count {
      let branches = branches(from: start)
      var end = branches?.range.upperBound ?? start + 1
      while end < statements.count, !statements[end].isLayer, region(start..<end + 1) != nil,
        statements[end].expression.values.count == 1
      {
        end += 1
      }
      if let region = region(start..<end) { units.append((region, branches != nil)) }
      start = end
    }
  }

  /// The smallest region from a statement on in which several statements read the entry.
  private func branches(from start: Int) -> PythonRegion? {
    let entries = Set(statements[start].expression.values)
    guard entries.count == 1, let entry = entries.first, lastUses[entry, default: -1] > start else {
      return nil
    }
    for end in start + 2..<max(start + 2, min(start + Self.sizeLimit, statements.count) + 1) {
      let readers = statements[start..<end].count { $0.expression.values.contains(entry) }
      if readers > 1, let region = region(start..<end) { return region }
    }
    return nil
  }
}
