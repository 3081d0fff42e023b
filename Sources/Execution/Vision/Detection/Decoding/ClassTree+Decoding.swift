import GraphIR

extension DetectorDescription.ClassTree {
  /// Returns the class of a box, with its confidence.
  ///
  /// - Parameters:
  ///   - conditional: The probability of each class given its parent.
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

  /// Traverses the tree as darknet does: in each group it takes the likeliest class, and descends
  /// into its children if the product of the probabilities of all classes on the way (each of which
  /// is itself a product) is above the threshold, else returns the parent. In the root group the
  /// likeliest class is returned in any case.
  private func walk(_ absolute: [Double]) -> Int? {
    let groups = groups
    var children: [Int: Int] = [:]
    for (number, group) in groups.enumerated() {
      if let parent = parents[group.lowerBound] { children[parent] = number }
    }
    var number = 0
    var product = 1.0
    while groups.indices.contains(number) {
      let group = groups[number]
      guard let likeliest = group.max(by: { absolute[$0] < absolute[$1] }) else { return nil }
      guard product * absolute[likeliest] > threshold else {
        return number == 0 ? likeliest : parents[group.lowerBound]
      }
      product *= absolute[likeliest]
      guard let next = children[likeliest] else { return likeliest }
      number = next
    }
    return nil
  }
}
