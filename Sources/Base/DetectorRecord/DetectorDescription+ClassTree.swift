package import Bytes

extension DetectorDescription {
  /// A hierarchy of classes, in which some are subclasses of others (WordTree, YOLO9000,
  /// section 4).
  ///
  /// A class's score is its conditional probability given its parent; adjacent classes with the
  /// same parent are mutually exclusive.
  public struct ClassTree: Hashable, Sendable {
    /// Which class of a box is reported.
    public enum Choice: String, Hashable, Sendable, CaseIterable {
      /// The last class whose probability is above the threshold, with that probability, if the
      /// objectness is above the confidence threshold, as in AlexeyAB's darknet.
      case last
      /// The class found by descending from the root to the likeliest child while the product of
      /// probabilities is above the threshold, with the objectness as its confidence, as in
      /// pjreddie's darknet.
      case walk
    }

    /// The parent of each class, which comes before it; `nil` for a root.
    public var parents: [Int?]
    /// The probability above which a class is reported instead of its parent, 0...1.
    public var threshold: Double
    /// The rule by which the class of a box is chosen.
    public var choice: Choice

    /// Creates a tree.
    public init(parents: [Int?], threshold: Double, choice: Choice) {
      self.parents = parents
      self.threshold = threshold
      self.choice = choice
    }

    /// The ranges of adjacent classes with the same parent, which are mutually exclusive.
    public var groups: [Range<Int>] {
      var groups: [Range<Int>] = []
      for (position, parent) in parents.enumerated() {
        if position > 0, parent == parents[position - 1] {
          groups[groups.count - 1] = groups[groups.count - 1].lowerBound..<position + 1
        } else {
          groups.append(position..<position + 1)
        }
      }
      return groups
    }
  }
}

extension DetectorDescription.ClassTree: CodedRecord {
  package init() { self.init(parents: [], threshold: 0.5, choice: .last) }

  package mutating func code<Coder: FieldCoder>(
    _ coder: inout Coder
  ) throws(WeighbridgeError) {
    try coder.optionalIndices(1, "parents", &parents)
    try coder.number(2, "threshold", &threshold, default: 0.5)
    try coder.choice(3, "choice", &choice, "choice of a class tree", default: .last)
  }
}
