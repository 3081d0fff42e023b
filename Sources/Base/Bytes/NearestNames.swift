/// Finds the names that the user may have meant.
package enum NearestNames {
  /// Returns the names closest to a wanted one, the nearest first.
  ///
  /// The distance is the number of characters inserted, removed or replaced (Levenshtein distance),
  /// ignoring case. Names that differ in more than half of their characters are left out, unless
  /// one contains the other.
  ///
  /// - Parameters:
  ///   - wanted: The name that does not exist.
  ///   - names: The names that do.
  ///   - limit: The largest number of results.
  package static func of(
    _ wanted: String, among names: some Sequence<String>, limit: Int = 3
  ) -> [String] {
    let wanted = Array(wanted.lowercased())
    let ranked = names.compactMap { name -> (distance: Int, name: String)? in
      let other = Array(name.lowercased())
      let distance = distance(wanted, other)
      let isPart = other.contains(wanted) || wanted.contains(other)
      guard isPart || 2 * distance <= max(wanted.count, other.count) else { return nil }
      return (distance, name)
    }
    return ranked.sorted { ($0.distance, $0.name) < ($1.distance, $1.name) }
      .prefix(limit).map(\.name)
  }

  /// Row by row: the distances of all prefixes of `second` from a prefix of `first`.
  private static func distance(_ first: [Character], _ second: [Character]) -> Int {
    var row = Array(0...second.count)
    for (position, character) in first.enumerated() {
      var diagonal = row[0]
      row[0] = position + 1
      for (index, other) in second.enumerated() {
        let replaced = diagonal + (character == other ? 0 : 1)
        diagonal = row[index + 1]
        row[index + 1] = min(replaced, diagonal + 1, row[index] + 1)
      }
    }
    return row[second.count]
  }
}
