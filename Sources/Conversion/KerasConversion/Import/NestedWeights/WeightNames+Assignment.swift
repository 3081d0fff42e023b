extension WeightNames {
  /// The owner of each weight, if the names leave one possibility.
  func assignment() -> [Int]? {
    guard sayAnything else { return nil }
    return solve(best) ?? solve(fitting(best)) ?? solve(fitting(ranks.map { Array($0.keys) }))
  }

  /// The owner of each weight, if the layers have other numbers in the names than in the architecture:
  /// both were made by the same program, and Keras counts the layers of a session.
  func renumberedAssignment() -> [Int]? {
    guard let entries = renumberedEntries(), entries != self.entries else { return nil }
    let renumbered = WeightNames(entries, owners)
    guard let result = renumbered.assignment(), renumbered.nameOwners(result, exactly: true) else {
      return nil
    }
    return result
  }

  /// Whether each weight has the name of its owner.
  ///
  /// - Parameter exactly: Whether a number that TensorFlow may have added makes it another name.
  func nameOwners(_ assignment: [Int], exactly: Bool) -> Bool {
    zip(ranks, assignment).allSatisfy { ranks, owner in
      ranks[owner].map { $0.isExact || !exactly } ?? false
    }
  }

  /// Whether the roles and shapes of the weights leave one possibility.
  var shapesDecide: Bool {
    solve(fitting([[Int]](repeating: [], count: entries.count))) != nil
  }

  /// For each weight, the owners whose name is the most like its own.
  private var best: [[Int]] {
    ranks.map { ranks in
      let best = ranks.values.max()
      return ranks.filter { $0.value == best }.map(\.key)
    }
  }

  /// For each weight, those of some owners that have a weight of its role and shape; of all owners if
  /// there are none.
  private func fitting(_ candidates: [[Int]]) -> [[Int]] {
    candidates.enumerated().map { index, candidates in
      (candidates.isEmpty ? Array(owners.indices) : candidates).filter { fits(index, $0) }
    }
  }

  func fits(_ entry: Int, _ owner: Int) -> Bool {
    let role = Self.role(entries[entry].variable)
    return owners[owner].weights.contains { weight in
      let other = Self.role(weight.role.split(separator: "/").last ?? "")
      return (weight.shape ?? entries[entry].shape) == entries[entry].shape
        && (role == nil || other == nil || role == other)
    }
  }

  /// Assigns what each weight and each owner leaves no choice about, until nothing is left.
  ///
  /// - Returns: `nil` where there are several possibilities, or none.
  private func solve(_ candidates: [[Int]]) -> [Int]? {
    var candidates = candidates
    var room = owners.map(\.weights.count)
    var result = [Int](repeating: -1, count: entries.count)
    var left = Array(entries.indices)
    while !left.isEmpty {
      var forced = left.filter { candidates[$0].count == 1 }.map { ($0, candidates[$0][0]) }
      if forced.isEmpty {
        let takers = left.reduce(into: [Int: [Int]]()) { takers, entry in
          for owner in candidates[entry] { takers[owner, default: []].append(entry) }
        }
        forced =
          takers.filter { $0.value.count == room[$0.key] }.min { $0.key < $1.key }
          .map { taken in taken.value.map { ($0, taken.key) } } ?? []
      }
      if forced.isEmpty { return nil }
      for (entry, owner) in forced {
        guard room[owner] > 0 else { return nil }
        room[owner] -= 1
        result[entry] = owner
      }
      left.removeAll { result[$0] >= 0 }
      for entry in left { candidates[entry].removeAll { room[$0] == 0 } }
    }
    return result
  }
}
