/// Finds the names that the user may have meant.
package enum NearestNames {
  /// Returns the names closest to a given one, the nearest first.
  ///
  /// The distance is the number of characters inserted, removed or replaced (Levenshtein distance),
  /// ignoring case. Names that differ in more than half of their characters are left out, unless
  /// one contains the other.
  ///
  /// - Parameters:
  ///   - misspelled: The name that does not exist.
  ///   - names: The names that exist.
  ///   - limit: The largest number of results.
  package static func of(
    _ misspelled: String, among names: some Sequence<String>, limit: Int = 3
  ) -> [String] {
    let misspelled = Array(misspelled.lowercased())
    let ranked = names.compactMap { name -> (distance: Int, name: String)? in
      let other = Array(name.lowercased())
      let distance = distance(misspelled, other)
      let isSubstring = other.contains(misspelled) || misspelled.contains(other)
      guard isSubstring || 2 * distance <= max(misspelled.count, other.count) else { return nil }
      return (distance, name)
    }
    return ranked.sorted { ($0.distance, $0.name) < ($1.distance, $1.name) }
      .prefix(limit).map(\.name)
  }

  /// Computes the distance row by row; a row contains the distances of all prefixes of `rhs` from a
  /// prefix of `lhs`.
  private static func distance(_ lhs: [Character], _ rhs: [Character]) -> Int {
    var row = Array(0...rhs.count)
    for (position, character) in lhs.enumerated() {
      var diagonal = row[0]
      row[0] = position + 1
      for (index, other) in rhs.enumerated() {
        let replacement = diagonal + (character == other ? 0 : 1)
        diagonal = row[index + 1]
        row[index + 1] = min(replacement, diagonal + 1, row[index] + 1)
      }
    }
    return row[rhs.count]
  }
}
