/// The found objects that may be assigned to each wanted one, and the cost of an assignment.
struct AssignmentProblem {
  let matcher: CompositionMatcher
  let scene: FoundScene
  /// For each wanted object, the indices of the found objects of its class.
  let candidates: [[Int]]
  /// For each class, the number of wanted objects that must remain unassigned.
  let surplus: [Int]

  init(_ matcher: CompositionMatcher, _ scene: FoundScene) {
    (self.matcher, self.scene) = (matcher, scene)
    var byClass = [[Int]](repeating: [], count: matcher.wantedCounts.count)
    for (index, classIndex) in scene.classes.enumerated()
    where matcher.wantedCounts[classIndex] > 0 {
      byClass[classIndex].append(index)
    }
    candidates = matcher.wantedClasses.map { byClass[$0] }
    surplus = zip(matcher.wantedCounts, byClass).map { max(0, $0 - $1.count) }
  }

  /// Returns the weighted cost of assigning a single object.
  func unaryCost(_ wanted: Int, _ found: Int) -> Double {
    matcher.weights.size * abs(matcher.wanted[wanted].side - scene[found].side)
  }

  /// Returns the weighted cost of assigning a wanted object and the wanted one nearest to it.
  func pairCost(_ wanted: Int, _ found: Int, _ foundForNearest: Int) -> Double {
    guard let pair = matcher.pairs[wanted] else { return 0 }
    let (first, second) = (scene[found], scene[foundForNearest])
    return matcher.weights.relativePosition * pair.positionTerm(first, second)
      + matcher.weights.relativeSize * pair.sizeTerm(first, second)
  }

  /// Returns the cost of an assignment, without the presence term.
  func cost(of assignment: [Int?]) -> Double {
    var sum = 0.0
    for (index, found) in assignment.enumerated() {
      guard let found else { continue }
      sum += unaryCost(index, found)
      guard let pair = matcher.pairs[index], let other = assignment[pair.other] else { continue }
      sum += pairCost(index, found, other)
    }
    return sum
  }

  /// Returns the terms of an assignment, without the presence term.
  func terms(of assignment: [Int?]) -> CompositionTerms {
    var terms = CompositionTerms()
    for (index, found) in assignment.enumerated() {
      guard let found else { continue }
      terms.size += abs(matcher.wanted[index].side - scene[found].side)
      guard let pair = matcher.pairs[index], let other = assignment[pair.other] else { continue }
      terms.relativePosition += pair.positionTerm(scene[found], scene[other])
      terms.relativeSize += pair.sizeTerm(scene[found], scene[other])
    }
    return terms
  }
}
