extension DetectorDescription {
  /// A prior box. The unit is the detector's: grid cells for region, input pixels for yolo.
  public struct Anchor: Hashable, Sendable {
    /// The width.
    public var width: Double
    /// The height.
    public var height: Double

    /// Makes an anchor.
    public init(width: Double, height: Double) {
      self.width = width
      self.height = height
    }
  }

  /// One output that holds boxes.
  public struct Head: Hashable, Sendable {
    /// The output's name.
    public var output: String
    /// Which of the detector's anchors this output uses, in the order of its channels.
    public var mask: [Int]
    /// How many input pixels a grid cell spans along each axis, when it is known.
    public var stride: Double?
    /// How much the box centres are stretched about the cell's centre; 1 when they are not.
    public var scaleXY: Double
    /// The point of a box that its cell places.
    public var boxPoint: BoxPoint

    /// Makes a head.
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

  /// Classes of which some are kinds of others (WordTree, YOLO9000, section 4).
  ///
  /// A class's score is the probability of it given its parent; neighbouring classes of one parent
  /// exclude each other.
  public struct ClassTree: Hashable, Sendable {
    /// Which class of a box is reported.
    public enum Choice: String, Hashable, Sendable, CaseIterable {
      /// The last class whose probability is above the threshold, with that probability, where the
      /// objectness is above the confidence threshold: as AlexeyAB's darknet.
      case last
      /// The class that a walk from the root reaches, taking the likeliest child as long as the
      /// product of probabilities is above the threshold, with the objectness as its confidence:
      /// as pjreddie's darknet.
      case walk
    }

    /// The parent of each class, which stands before it; `nil` for a root.
    public var parents: [Int?]
    /// The probability above which a class is named rather than its parent, 0...1.
    public var threshold: Double
    /// Which class of a box is reported.
    public var choice: Choice

    /// Makes a tree.
    public init(parents: [Int?], threshold: Double, choice: Choice) {
      self.parents = parents
      self.threshold = threshold
      self.choice = choice
    }

    /// The runs of classes of one parent, in order: classes that exclude each other.
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
