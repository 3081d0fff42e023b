/// How boxes are read from the outputs of a detector.
public struct Detector: Hashable, Sendable {
  /// The family of output layers.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// YOLOv2's: anchors in grid cells, classes by softmax.
    case region
    /// YOLOv3's and later: anchors in input pixels, classes by sigmoid.
    case yolo
  }

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

    /// Makes a head.
    public init(output: String, mask: [Int], stride: Double?, scaleXY: Double) {
      self.output = output
      self.mask = mask
      self.stride = stride
      self.scaleXY = scaleXY
    }
  }

  /// How a box's extent is stored.
  public enum BoxEncoding: String, Hashable, Sendable, CaseIterable {
    /// exp(t) times the anchor.
    case exponential
    /// (2t)² times the anchor, t after its activation (`new_coords`).
    case squared
  }

  /// How overlapping boxes of one object are thinned out.
  public enum Suppression: String, Hashable, Sendable, CaseIterable {
    /// Not at all.
    case none
    /// The most confident box removes those that overlap it.
    case greedy
    /// Greedy, with the centres' distance taken into account (DIoU).
    case distance
  }

  /// The family.
  public var kind: Kind
  /// All anchors.
  public var anchors: [Anchor]
  /// The outputs that hold boxes.
  public var heads: [Head]
  /// How a box's extent is stored.
  public var boxEncoding: BoxEncoding
  /// Whether each box has a score for holding any object at all.
  public var hasObjectness: Bool
  /// The number of classes.
  public var classCount: Int
  /// The least confidence worth showing, when the model's owner set one.
  public var confidenceThreshold: Double?
  /// The overlap (intersection over union) above which boxes suppress each other, when set.
  public var overlapThreshold: Double?
  /// How overlapping boxes are thinned out, when the model's owner said so.
  public var suppression: Suppression?

  /// Makes a detector.
  public init(
    kind: Kind, anchors: [Anchor], heads: [Head], boxEncoding: BoxEncoding, hasObjectness: Bool,
    classCount: Int, confidenceThreshold: Double? = nil, overlapThreshold: Double? = nil,
    suppression: Suppression? = nil
  ) {
    self.kind = kind
    self.anchors = anchors
    self.heads = heads
    self.boxEncoding = boxEncoding
    self.hasObjectness = hasObjectness
    self.classCount = classCount
    self.confidenceThreshold = confidenceThreshold
    self.overlapThreshold = overlapThreshold
    self.suppression = suppression
  }
}
