extension WeightNames {
  /// Whether layers of one name have ascending numbers in the names of their weights: TensorFlow
  /// numbers them as they are created, and the layers of an inner model are created before those
  /// after it.
  func followCreation(_ assignment: [Int]) -> Bool {
    var last: [Substring: (owner: Int, number: Int)] = [:]
    let numbered = zip(assignment, entries).compactMap { owner, entry in
      Self.number(in: entry.scope, of: owners[owner].path.last ?? "").map { (owner, $0) }
    }
    for (owner, number) in numbered.sorted(by: { $0.0 < $1.0 }) {
      let name = owners[owner].path.last ?? ""
      if let last = last[name], last.owner != owner, last.number >= number { return false }
      last[name] = (owner, number)
    }
    return !numbered.isEmpty
  }

  /// The number that TensorFlow has added to the name of a layer, 0 for none; `nil` if the name is
  /// not there.
  private static func number(in scope: [Substring], of layer: Substring) -> Int? {
    for part in scope {
      if part == layer { return 0 }
      if unnumbered(part) == layer { return Int(part.dropFirst(layer.count + 1)) }
    }
    return nil
  }
}
