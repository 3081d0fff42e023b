extension WeightNames {
  /// The weights under the names that the layers have in the architecture, if the layers of each base
  /// name, such as `dense` of `dense_5`, are as many here as there: the first of them is the first.
  ///
  /// - Returns: `nil` if they are more or fewer, or if the name of a weight has none of the base names.
  func renumberedEntries() -> [Entry]? {
    let layers = Dictionary(
      grouping: Set(owners.map(\.path)).map { NumberedName($0.last ?? "") }, by: \.base)
    var entries = entries
    var found: [Substring: Set<NumberedName>] = [:]
    var places: [(entry: Int, part: Int, name: NumberedName)] = []
    for (index, entry) in entries.enumerated() {
      let names = entry.scope.map { NumberedName($0) }
      guard let part = names.firstIndex(where: { layers[$0.base] != nil }) else { return nil }
      found[names[part].base, default: []].insert(names[part])
      places.append((index, part, names[part]))
    }
    var renamed: [NumberedName: Substring] = [:]
    for (base, layers) in layers {
      let names = found[base] ?? []
      guard names.count == layers.count, Set(layers.map(\.number)).count == layers.count,
        Set(names.map(\.number)).count == names.count
      else { return nil }
      for (name, layer) in zip(names.sorted(), layers.sorted()) { renamed[name] = layer.text }
    }
    for place in places {
      guard let name = renamed[place.name] else { return nil }
      entries[place.entry].scope[place.part] = name
    }
    return entries
  }

  /// The name of a layer with the number that Keras gives to the layers of a class: `dense_5`.
  private struct NumberedName: Hashable, Comparable {
    let text: Substring
    let base: Substring
    /// 0 if there is none.
    let number: Int

    init(_ text: Substring) {
      self.text = text
      base = WeightNames.unnumbered(text) ?? text
      number = Int(text.dropFirst(base.count + 1)) ?? 0
    }

    static func < (lhs: NumberedName, rhs: NumberedName) -> Bool { lhs.number < rhs.number }
  }
}
