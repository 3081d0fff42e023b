extension WeightNames {
  /// How much of the models around an owner, and of its part, a name has before and after the
  /// layer's name.
  static func detail(_ owner: Owner, _ scope: [Substring], at position: Int) -> Int {
    var detail = 0
    var outer = owner.path.dropLast()[...]
    for part in scope[..<position] {
      guard let index = outer.firstIndex(where: { rank(of: part, as: $0) != nil }) else { continue }
      detail += rank(of: part, as: outer[index]) ?? 0
      outer = outer[(index + 1)...]
    }
    var inner = scope[(position + 1)...]
    for name in owner.part.names {
      guard let index = inner.firstIndex(where: { name.rank(of: $0) != nil }) else { continue }
      detail += name.rank(of: inner[index]) ?? 0
      inner = inner[(index + 1)...]
    }
    return detail
  }

  /// The owners of a name without a scope, `dense_1_W`: those with the longest name.
  static func ranks(ofPlain name: Substring, _ owners: [Owner]) -> [Int: Rank] {
    var found: [Int: Rank] = [:]
    for (index, owner) in owners.enumerated() {
      for prefix in plainNames(of: owner) where name.hasPrefix("\(prefix)_") {
        guard let next = name.dropFirst(prefix.count + 1).first, !next.isNumber else { continue }
        let rank = Rank(isExact: true, detail: prefix.count)
        found[index] = max(found[index] ?? rank, rank)
      }
    }
    return found
  }

  /// The names with which Keras 1 begins the names of a layer's weights.
  private static func plainNames(of owner: Owner) -> [String] {
    let layers = [String(owner.path.last ?? "")] + owner.part.wrapped
    let directions = owner.part.names.compactMap { name in
      if case .prefix(let prefix) = name { prefix } else { nil }
    }
    return directions.isEmpty ? layers : directions.flatMap { prefix in layers.map { prefix + $0 } }
  }

  /// How well a part of a name is that of an object: 2 if it is, 1 with a number more.
  static func rank(of part: Substring, as object: some StringProtocol) -> Int? {
    part == object ? 2 : unnumbered(part).map { $0 == object } == true ? 1 : nil
  }

  /// A name without its number: `dense` of `dense_1`; `nil` for one without a number.
  static func unnumbered(_ name: Substring) -> Substring? {
    let digits = name.reversed().prefix(while: \.isNumber).count
    let stem = name.dropLast(digits)
    return digits > 0 && stem.hasSuffix("_") ? stem.dropLast() : nil
  }

  /// What a weight is for, by the last part of its name; `nil` where it does not say.
  static func role(_ name: Substring) -> String? {
    let role = aliases[String(name)] ?? String(name)
    return roles.contains(role) ? role : nil
  }

  private static let roles: Set<String> = [
    "kernel", "recurrent_kernel", "bias", "gamma", "beta", "mean", "variance",
  ]
  private static let aliases = ["moving_mean": "mean", "moving_variance": "variance"]
}
