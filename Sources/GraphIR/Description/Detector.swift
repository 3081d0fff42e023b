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
    public var stride: Int?

    /// Makes a head.
    public init(output: String, mask: [Int], stride: Int?) {
      self.output = output
      self.mask = mask
      self.stride = stride
    }
  }

  /// The family.
  public var kind: Kind
  /// All anchors.
  public var anchors: [Anchor]
  /// The outputs that hold boxes.
  public var heads: [Head]
  /// The number of classes.
  public var classCount: Int
  /// How much the box centres are stretched about the cell's centre; 1 when they are not.
  public var scaleXY: Double
  /// The least confidence worth showing, when the model's owner set one.
  public var confidenceThreshold: Double?
  /// The overlap (intersection over union) above which boxes suppress each other, when set.
  public var overlapThreshold: Double?

  /// Makes a detector.
  public init(
    kind: Kind, anchors: [Anchor], heads: [Head], classCount: Int, scaleXY: Double,
    confidenceThreshold: Double? = nil, overlapThreshold: Double? = nil
  ) {
    self.kind = kind
    self.anchors = anchors
    self.heads = heads
    self.classCount = classCount
    self.scaleXY = scaleXY
    self.confidenceThreshold = confidenceThreshold
    self.overlapThreshold = overlapThreshold
  }
}
