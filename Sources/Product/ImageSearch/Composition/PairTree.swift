/// The wanted objects as a forest in which each object is connected to the one nearest to it.
///
/// There are no cycles: two objects can be each other's nearest, but in a longer cycle all
/// distances would be equal, and then the nearest of every object would be the first in the list.
struct PairTree {
  /// The objects, each after its parent.
  private(set) var order: [Int] = []
  /// Each object's parent; `nil` for a root.
  private(set) var parents: [Int?]
  /// The objects whose parent is this one.
  private(set) var children: [[Int]]
  /// For each object, whether its parent is its nearest object.
  private(set) var parentIsNearest: [Bool]
  /// For each object, whether it is the nearest object of its parent.
  private(set) var isNearestOfParent: [Bool]

  /// - Parameter nearest: For each object the one nearest to it.
  init(nearest: [Int?]) {
    let count = nearest.count
    var neighbors = [[Int]](repeating: [], count: count)
    for (index, other) in nearest.enumerated() {
      guard let other else { continue }
      neighbors[index].append(other)
      if nearest[other] != index { neighbors[other].append(index) }
    }
    parents = [Int?](repeating: nil, count: count)
    children = [[Int]](repeating: [], count: count)
    (parentIsNearest, isNearestOfParent) = ([], [])
    var isVisited = [Bool](repeating: false, count: count)
    for root in nearest.indices where !isVisited[root] {
      isVisited[root] = true
      order.append(root)
      var next = order.count - 1
      while next < order.count {
        let index = order[next]
        for other in neighbors[index] where !isVisited[other] {
          isVisited[other] = true
          parents[other] = index
          children[index].append(other)
          order.append(other)
        }
        next += 1
      }
    }
    let parents = parents
    parentIsNearest = nearest.indices.map { parents[$0] != nil && nearest[$0] == parents[$0] }
    isNearestOfParent = nearest.indices.map { index in
      parents[index].map { nearest[$0] == index } ?? false
    }
  }
}
