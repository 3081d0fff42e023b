extension DetectorDescription {
  /// An anchor box (prior). Its unit depends on the detector: grid cells for region, input pixels
  /// for yolo.
  public struct Anchor: Hashable, Sendable {
    /// The width.
    public var width: Double
    /// The height.
    public var height: Double

    /// Creates an anchor.
    public init(width: Double, height: Double) {
      self.width = width
      self.height = height
    }
  }

  /// An output that contains boxes.
  public struct Head: Hashable, Sendable {
    /// The output's name.
    public var output: String
    /// The indices of the anchors that this output uses, in the order of its channels.
    public var mask: [Int]
    /// The number of input pixels that a grid cell spans along each axis, when it is known.
    public var stride: Double?
    /// The factor by which box centers are scaled about the center of their cell; 1 for no scaling.
    public var scaleXY: Double
    /// The point of a box that is relative to its cell.
    public var boxPoint: BoxPoint

    /// Creates a head.
    public init(
      output: String, mask: [Int], stride: Double?, scaleXY: Double, boxPoint: BoxPoint = .center
    ) {
      self.output = output
      self.mask = mask
      self.stride = stride
      self.scaleXY = scaleXY
      self.boxPoint = boxPoint
    }
  }

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
