extension AssignmentProblem {
  /// Returns an assignment that no exchange improves, by a local search that starts from the one
  /// with the lowest sum of unary costs.
  func improved() -> [Int?] {
    var assignment = hungarian()
    var cost = cost(of: assignment)
    while let better = firstImprovement(on: cost, assignment) { (assignment, cost) = better }
    return assignment
  }

  /// Returns the assignment with the lowest sum of unary costs, found for each class separately.
  private func hungarian() -> [Int?] {
    var result = [Int?](repeating: nil, count: candidates.count)
    let classes = Set(matcher.wantedClasses).sorted()
    for classIndex in classes {
      let wanted = candidates.indices.filter { matcher.wantedClasses[$0] == classIndex }
      let found = candidates[wanted[0]]
      guard !found.isEmpty else { continue }
      if wanted.count <= found.count {
        let costs = wanted.map { index in found.map { unaryCost(index, $0) } }
        for (row, column) in HungarianAssignment.columns(costs).enumerated() {
          result[wanted[row]] = found[column]
        }
      } else {
        let costs = found.map { object in wanted.map { unaryCost($0, object) } }
        for (row, column) in HungarianAssignment.columns(costs).enumerated() {
          result[wanted[column]] = found[row]
        }
      }
    }
    return result
  }

  /// Returns a neighboring assignment with a lower cost: two wanted objects of a class exchange
  /// their found ones, or one gets a found object that is not assigned.
  private func firstImprovement(
    on cost: Double, _ assignment: [Int?]
  ) -> (assignment: [Int?], cost: Double)? {
    var changed = assignment
    for index in candidates.indices {
      for other in candidates.indices.dropFirst(index + 1)
      where matcher.wantedClasses[index] == matcher.wantedClasses[other] {
        changed.swapAt(index, other)
        if let cost = improvedCost(of: changed, from: cost) { return (changed, cost) }
        changed.swapAt(index, other)
      }
      let assigned = Set(assignment.compactMap { $0 })
      for found in candidates[index] where assignment[index] != nil && !assigned.contains(found) {
        changed[index] = found
        if let cost = improvedCost(of: changed, from: cost) { return (changed, cost) }
        changed[index] = assignment[index]
      }
    }
    return nil
  }

  /// Returns the cost of an assignment if it is lower by more than rounding, so that the search
  /// terminates; otherwise `nil`.
  private func improvedCost(of assignment: [Int?], from cost: Double) -> Double? {
    let new = self.cost(of: assignment)
    return new < cost - 1e-12 * max(1, cost) ? new : nil
  }
}
