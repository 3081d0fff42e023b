/// Finds an assignment with the lowest cost by branch and bound.
///
/// If a found object could be assigned several times, dynamic programming over the trees of pairs,
/// from the leaves up, would give the lowest cost. That is the bound: choices are made from the
/// roots down, and branches that cannot improve on the best assignment so far are pruned.
struct ExactAssignment {
  private let problem: AssignmentProblem
  private let tree: PairTree
  /// For each object and choice, the lowest cost of the object and all its descendants.
  private var subtree: [[Double]]
  /// For each object and its parent's choice, the lowest cost of the object, all its descendants
  /// and its pair with the parent. A root has one entry.
  private var withParent: [[Double]]
  private var choices: [Int]
  private var isUsed: [Bool]
  private var surplus: [Int]
  private var best: Double
  private var bestChoices: [Int]?

  /// - Returns: `nil` when no assignment costs less than the limit.
  static func solve(
    _ problem: AssignmentProblem, _ tree: PairTree, below limit: Double
  ) -> [Int?]? {
    var solver = ExactAssignment(problem, tree, limit)
    solver.fillTables()
    solver.search(0, solver.rootBound)
    return solver.bestChoices.map { choices in
      choices.enumerated().map { index, choice in
        choice < problem.candidates[index].count ? problem.candidates[index][choice] : nil
      }
    }
  }

  private init(_ problem: AssignmentProblem, _ tree: PairTree, _ limit: Double) {
    (self.problem, self.tree, best) = (problem, tree, limit)
    let count = tree.order.count
    subtree = [[Double]](repeating: [], count: count)
    withParent = subtree
    choices = [Int](repeating: 0, count: count)
    isUsed = [Bool](repeating: false, count: problem.scene.count)
    surplus = problem.surplus
  }

  /// Returns the number of an object's choices: its candidates, and possibly none of them.
  private func choiceCount(_ index: Int) -> Int {
    let isSurplus = problem.surplus[problem.matcher.wantedClasses[index]] > 0
    return problem.candidates[index].count + (isSurplus ? 1 : 0)
  }

  /// Returns the candidate of a choice; `nil` for none.
  private func found(_ index: Int, _ choice: Int) -> Int? {
    let candidates = problem.candidates[index]
    return choice < candidates.count ? candidates[choice] : nil
  }

  /// Returns the cost of the pair of an object and its parent; infinite for the same found object.
  private func edgeCost(_ index: Int, _ choice: Int, _ parentChoice: Int) -> Double {
    guard let parent = tree.parents[index], let foundObject = found(index, choice),
      let foundParent = found(parent, parentChoice)
    else { return 0 }
    guard foundObject != foundParent else { return .infinity }
    return (tree.parentIsNearest[index] ? problem.pairCost(index, foundObject, foundParent) : 0)
      + (tree.isNearestOfParent[index] ? problem.pairCost(parent, foundParent, foundObject) : 0)
  }

  /// Fills the tables of lowest costs, from the leaves up.
  private mutating func fillTables() {
    for index in tree.order.reversed() {
      subtree[index] = (0..<choiceCount(index)).map { choice in
        var cost = found(index, choice).map { problem.unaryCost(index, $0) } ?? 0
        for child in tree.children[index] { cost += withParent[child][choice] }
        return cost
      }
      let parentCount = tree.parents[index].map(choiceCount) ?? 1
      withParent[index] = (0..<parentCount).map { parentChoice in
        var least = Double.infinity
        for (choice, cost) in subtree[index].enumerated() {
          least = min(least, cost + edgeCost(index, choice, parentChoice))
        }
        return least
      }
    }
  }

  /// The lowest cost of all trees if each found object may be assigned any number of times.
  private var rootBound: Double {
    tree.order.reduce(0) { $0 + (tree.parents[$1] == nil ? withParent[$1][0] : 0) }
  }

  /// Searches the choices of the objects from a position in the order on.
  ///
  /// - Parameter bound: A lower bound for the cost of all assignments with the choices made so far.
  private mutating func search(_ position: Int, _ bound: Double) {
    guard bound < best else { return }
    guard position < tree.order.count else {
      (best, bestChoices) = (bound, choices)
      return
    }
    let index = tree.order[position]
    let parentChoice = tree.parents[index].map { choices[$0] } ?? 0
    let least = withParent[index][parentChoice]
    let costs = subtree[index].enumerated().map { choice, cost in
      (choice: choice, cost: cost + edgeCost(index, choice, parentChoice))
    }
    for (choice, cost) in costs.sorted(by: { $0.cost < $1.cost }) {
      let next = bound - least + cost
      guard next < best else { return }
      tryChoice(index, choice) { $0.search(position + 1, next) }
    }
  }

  /// Makes a choice, continues the search and undoes the choice, unless its object is already used.
  private mutating func tryChoice(
    _ index: Int, _ choice: Int, _ proceed: (inout ExactAssignment) -> Void
  ) {
    choices[index] = choice
    if let found = found(index, choice) {
      guard !isUsed[found] else { return }
      isUsed[found] = true
      proceed(&self)
      isUsed[found] = false
    } else {
      let classIndex = problem.matcher.wantedClasses[index]
      guard surplus[classIndex] > 0 else { return }
      surplus[classIndex] -= 1
      proceed(&self)
      surplus[classIndex] += 1
    }
  }
}
