import Bytes

/// Assigns the weights of a list to the layers that they belong to by their names.
///
/// A name contains that of the layer, such as `dense_1/kernel:0`, `model/dense_1/kernel:0` and
/// `bidirectional/forward_lstm/lstm_cell/kernel:0`, or `dense_1_W` in Keras 1. TensorFlow adds a
/// number when a name is in use in its graph, so that `dense_1` may be a layer `dense`.
struct WeightNames {
  /// A layer, or a part of one, and the weights that it takes.
  struct Owner {
    /// The names of the models around the layer, and its own.
    let path: [Substring]
    /// Its part.
    let part: WeightPart
    /// Its weights.
    var weights: [RequestedWeight]
  }

  /// A weight of the list.
  struct Entry {
    /// The parts of its name before the last.
    let scope: [Substring]
    /// The last part of its name, without TensorFlow's `:0`.
    let variable: Substring
    let shape: [Int]

    init(name: String, shape: [Int]) {
      let parts = name.prefix { $0 != ":" }.split(separator: "/")
      scope = Array(parts.dropLast())
      variable = parts.last ?? ""
      self.shape = shape
    }
  }

  /// How much a name is like that of an owner.
  private struct Rank: Comparable {
    /// Whether the name of the layer is in it as it is.
    let isExact: Bool
    /// How much of what is around and inside the layer is in it, or how long the name is.
    let detail: Int

    static func < (lhs: Rank, rhs: Rank) -> Bool {
      (lhs.isExact ? 1 : 0, lhs.detail) < (rhs.isExact ? 1 : 0, rhs.detail)
    }
  }

  private let owners: [Owner]
  private let entries: [Entry]
  /// The owners that each weight can belong to by its name, with their ranks; none for a name that
  /// says nothing.
  private let ranks: [[Int: Rank]]

  init(_ entries: [Entry], _ owners: [Owner]) {
    self.entries = entries
    self.owners = owners
    var byName: [Substring: [Int]] = [:]
    for (index, owner) in owners.enumerated() {
      byName[owner.path.last ?? "", default: []].append(index)
    }
    ranks = entries.map { entry in
      guard !entry.scope.isEmpty else { return Self.ranks(ofPlain: entry.variable, owners) }
      var found: [Int: Rank] = [:]
      for (position, part) in entry.scope.enumerated() {
        let isNumbered = Self.unnumbered(part)
        for (name, isExact) in [(part, true)] + (isNumbered.map { [($0, false)] } ?? []) {
          for index in byName[name] ?? [] {
            let rank = Rank(
              isExact: isExact, detail: Self.detail(owners[index], entry.scope, at: position))
            found[index] = max(found[index] ?? rank, rank)
          }
        }
      }
      return found
    }
  }

  /// Whether any name says whose weight it is.
  var sayAnything: Bool { ranks.contains { !$0.isEmpty } }

  /// The owner of each weight, if the names leave one possibility.
  func assignment() -> [Int]? {
    guard sayAnything else { return nil }
    return solve(best) ?? solve(fitting(best)) ?? solve(fitting(ranks.map { Array($0.keys) }))
  }

  /// Whether the names and shapes permit an owner for each weight.
  func permit(_ assignment: [Int]) -> Bool { contradiction(of: assignment) == nil }

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

  /// The first weight that cannot belong to the owner that it is assigned to.
  func contradiction(of assignment: [Int]) -> Int? {
    entries.indices.first { index in
      let owner = assignment[index]
      return !ranks[index].isEmpty && ranks[index][owner] == nil || !fits(index, owner)
    }
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

  private func fits(_ entry: Int, _ owner: Int) -> Bool {
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

extension WeightNames {
  /// How much of the models around an owner, and of its part, a name has before and after the
  /// layer's name.
  private static func detail(_ owner: Owner, _ scope: [Substring], at position: Int) -> Int {
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
  private static func ranks(ofPlain name: Substring, _ owners: [Owner]) -> [Int: Rank] {
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
  private static func unnumbered(_ name: Substring) -> Substring? {
    let digits = name.reversed().prefix(while: \.isNumber).count
    let stem = name.dropLast(digits)
    return digits > 0 && stem.hasSuffix("_") ? stem.dropLast() : nil
  }

  /// What a weight is for, by the last part of its name; `nil` where it does not say.
  private static func role(_ name: Substring) -> String? {
    let role = aliases[String(name)] ?? String(name)
    return roles.contains(role) ? role : nil
  }

  private static let roles: Set<String> = [
    "kernel", "recurrent_kernel", "bias", "gamma", "beta", "mean", "variance",
  ]
  private static let aliases = ["moving_mean": "mean", "moving_variance": "variance"]
}
