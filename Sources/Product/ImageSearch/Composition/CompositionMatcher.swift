/// A query that is prepared for comparison with many images.
struct CompositionMatcher {
  /// The index of each label's class.
  let classes: [String: Int]
  /// The class of each wanted object.
  let wantedClasses: [Int]
  /// The wanted objects.
  let wanted: [ObjectGeometry]
  /// For each wanted object, the nearest other one; `nil` for the only object.
  let pairs: [NearestPair?]
  /// The weight of each term.
  let weights: CompositionWeights
  /// The number of wanted objects of each class.
  let wantedCounts: [Int]
  /// The counter for the presence term, in its initial state.
  let presence: PresenceCounter
  private let tree: PairTree

  /// - Parameter labels: The names of all classes; duplicates are one class.
  /// - Throws: ``/Weighbridge/WeighbridgeError/Code/mismatch`` when the query does not fit the
  ///   labels.
  init(_ query: CompositionQuery, labels: [String]) throws(WeighbridgeError) {
    try query.composition.check(labels: labels)
    try query.weights.check()
    try LabelCheck(labels).check(query.classes ?? [])
    guard !query.maximumCost.isNaN else { throw .mismatch("the maximum cost is not a number") }
    if let count = query.maximumCount, count < 1 {
      throw .mismatch("the number of images must be 1 or more, not \(count)")
    }
    let classes = Dictionary(
      zip(labels, labels.indices), uniquingKeysWith: { first, _ in first })
    let composition = query.composition
    let wanted = composition.objects.map {
      ObjectGeometry($0.box, aspectRatio: composition.aspectRatio)
    }
    wantedClasses = composition.objects.compactMap { classes[$0.label] }
    var counts = [Int](repeating: 0, count: labels.count)
    for index in wantedClasses { counts[index] += 1 }
    let counted = query.classes.map { Set($0.compactMap { classes[$0] }) }
    presence = PresenceCounter(
      wantedCounts: counts, isCounted: labels.indices.map { counted?.contains($0) ?? true })
    pairs = wanted.indices.map { NearestPair(of: $0, in: wanted) }
    tree = PairTree(nearest: pairs.map { $0?.other })
    (self.classes, self.wanted, wantedCounts, weights) = (classes, wanted, counts, query.weights)
  }

  /// Returns a lower bound for the cost of any image with objects of these classes, wherever they
  /// are.
  ///
  /// - Parameter presence: The presence of the classes.
  func minimumCost(presence: Double) -> Double { weights.presence * presence }

  /// Assigns found objects to the wanted ones.
  ///
  /// - Parameter presence: The presence of the scene's classes.
  /// - Returns: `nil` when the cost is not below the limit.
  func match(
    _ scene: FoundScene, presence: Double, below limit: Double
  ) -> CompositionMatch? {
    let remaining = limit - minimumCost(presence: presence)
    guard remaining > 0 else { return nil }
    let problem = AssignmentProblem(self, scene)
    let isExact = wanted.count <= CompositionQuery.exactObjectCount
    // The bound leaves room for rounding: the final cost is summed in another order.
    let assignment =
      isExact ? ExactAssignment.solve(problem, tree, below: remaining + 1e-9) : problem.improved()
    guard let assignment else { return nil }
    var terms = problem.terms(of: assignment)
    terms.presence = presence
    let cost = weights.cost(of: terms)
    guard cost < limit else { return nil }
    return CompositionMatch(
      cost: cost, terms: terms, assignment: assignment, method: isExact ? .exact : .improved)
  }
}
