extension [Int] {
  /// The permutation of axes that undoes this one.
  package var inversePermutation: [Int] { indices.sorted { self[$0] < self[$1] } }

  /// The positions of these axes in a permutation; `nil` when it changes their order.
  package func positions(in order: [Int]) -> [Int]? {
    let positions = compactMap { order.firstIndex(of: $0) }
    guard positions.count == count, zip(positions, positions.dropFirst()).allSatisfy(<) else {
      return nil
    }
    return positions
  }
}
