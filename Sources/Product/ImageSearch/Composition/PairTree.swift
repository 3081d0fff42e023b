/// The wanted objects as trees, in which each object is connected to its nearest one.
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
  private(set) var pointsUp: [Bool]
  /// For each object, whether it is the nearest object of its parent.
  private(set) var pointsDown: [Bool]

  /// - Parameter nearest: For each object the one nearest to it.
  init(nearest: [Int?]) {
    let count = nearest.count
    var neighbours = [[Int]](repeating: [], count: count)
    for (index, other) in nearest.enumerated() {
      guard let other else { continue }
      neighbours[index].append(other)
      if nearest[other] != index { neighbours[other].append(index) }
    }
    parents = [Int?](repeating: nil, count: count)
    children = [[Int]](repeating: [], count: count)
    (pointsUp, pointsDown) = ([], [])
    var isReached = [Bool](repeating: false, count: count)
    for root in nearest.indices where !isReached[root] {
      isReached[root] = true
      order.append(root)
      var next = order.count - 1
      while next < order.count {
        let index = order[next]
        for other in neighbours[index] where !isReached[other] {
          isReached[other] = true
          parents[other] = index
          children[index].append(other)
          order.append(other)
        }
        next += 1
      }
    }
    let parents = parents
    pointsUp = nearest.indices.map { parents[$0] != nil && nearest[$0] == parents[$0] }
    pointsDown = nearest.indices.map { index in parents[index].map { nearest[$0] == index } ?? false
    }
  }
}
