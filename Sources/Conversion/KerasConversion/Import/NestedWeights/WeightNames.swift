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
  struct Entry: Equatable {
    /// The parts of its name before the last.
    var scope: [Substring]
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
  struct Rank: Comparable {
    /// Whether the name of the layer is in it as it is.
    let isExact: Bool
    /// How much of what is around and inside the layer is in it, or how long the name is.
    let detail: Int

    static func < (lhs: Rank, rhs: Rank) -> Bool {
      (lhs.isExact ? 1 : 0, lhs.detail) < (rhs.isExact ? 1 : 0, rhs.detail)
    }
  }

  let owners: [Owner]
  let entries: [Entry]
  /// The owners that each weight can belong to by its name, with their ranks; none for a name that
  /// says nothing.
  let ranks: [[Int: Rank]]

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

  /// Whether the names and shapes permit an owner for each weight.
  func permit(_ assignment: [Int]) -> Bool { contradiction(of: assignment) == nil }

  /// The first weight that cannot belong to the owner that it is assigned to.
  func contradiction(of assignment: [Int]) -> Int? {
    entries.indices.first { index in
      let owner = assignment[index]
      return !ranks[index].isEmpty && ranks[index][owner] == nil || !fits(index, owner)
    }
  }
}
