import GraphIR

extension DetectorDescription.ClassTree {
  /// The class that a box is, with its confidence.
  ///
  /// - Parameters:
  ///   - conditional: The probability of each class given its parent.
  ///   - objectness: The box's objectness, above the confidence threshold.
  func score(_ conditional: [Double], objectness: Double) -> Candidate.Score? {
    // A parent stands before its children: the products of probabilities along all paths.
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

  /// As darknet walks: in each group the likeliest class; into its children, if the product of the
  /// probabilities of all classes on the way (each of which is a product itself) is above the
  /// threshold; else back to the parent. In the group of the roots the likeliest one is it.
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
