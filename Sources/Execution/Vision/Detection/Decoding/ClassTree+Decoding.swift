import GraphIR

extension DetectorDescription.ClassTree {
  /// Returns the class of a box, with its confidence.
  ///
  /// - Parameters:
  ///   - conditional: The conditional probability of each class given its parent.
  ///   - objectness: The box's objectness, above the confidence threshold.
  func score(_ conditional: [Double], objectness: Double) -> Candidate.Score? {
    // A parent precedes its children, so this multiplies the probabilities along all paths.
    var absolute = conditional
    for (position, parent) in parents.enumerated() {
      if let parent { absolute[position] *= absolute[parent] }
    }
    switch choice {
    case .last:
      return absolute.lastIndex { $0 > threshold }.map {
        Candidate.Score(classIndex: $0, confidence: absolute[$0])
      }
    case .walk:
      return walk(absolute).map { Candidate.Score(classIndex: $0, confidence: objectness) }
    }
  }

  /// Traverses the tree as darknet does: in each group it takes the most likely class, and descends
  /// into its children if the product of the probabilities of all classes on the path (each of
  /// which is itself a product) is above the threshold; otherwise it returns the parent. In the
  /// root group the most likely class is always accepted.
  private func walk(_ absolute: [Double]) -> Int? {
    let groups = groups
    var children: [Int: Int] = [:]
    for (groupIndex, group) in groups.enumerated() {
      if let parent = parents[group.lowerBound] { children[parent] = groupIndex }
    }
    var groupIndex = 0
    var product = 1.0
    while groups.indices.contains(groupIndex) {
      let group = groups[groupIndex]
      guard let best = group.max(by: { absolute[$0] < absolute[$1] }) else { return nil }
      guard product * absolute[best] > threshold else {
        return groupIndex == 0 ? best : parents[group.lowerBound]
      }
      product *= absolute[best]
      guard let next = children[best] else { return best }
      groupIndex = next
    }
    return nil
  }
}
