package import Bytes

extension DetectorDescription {
  /// Outputs with a grid of cells. Each cell has a box for each anchor of its head: the
  /// coordinates, the objectness if there is one, and the scores of the classes.
  public struct Grid: Hashable, Sendable {
    /// The anchors of all heads.
    public var anchors: [Anchor]
    /// The outputs that contain boxes.
    public var heads: [Head]
    /// Whether a box's size is (2t)² times the anchor, t after its activation (`new_coords`), not
    /// exp(t) times the anchor.
    public var squaresSizes: Bool
    /// Whether each box has a score for containing any object.
    public var hasObjectness: Bool
    /// Whether the first class score is that of the background, which is not one of the classes.
    public var hasBackground: Bool
    /// The order of a head's elements; `nil` for that of the image's layout.
    public var order: Order?
    /// The hierarchy of the classes, when they are not a plain list.
    public var classTree: ClassTree?

    /// Creates a description of grids.
    public init(
      anchors: [Anchor], heads: [Head], squaresSizes: Bool = false, hasObjectness: Bool = true,
      hasBackground: Bool = false, order: Order? = nil, classTree: ClassTree? = nil
    ) {
      self.anchors = anchors
      self.heads = heads
      self.squaresSizes = squaresSizes
      self.hasObjectness = hasObjectness
      self.hasBackground = hasBackground
      self.order = order
      self.classTree = classTree
    }
  }

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

  /// An output with a grid of cells.
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

  /// Outputs of YOLOv1: the scores of the classes of all cells, the objectness of all boxes, and
  /// the four coordinates of each box.
  public struct Row: Hashable, Sendable {
    /// The outputs' names.
    public var outputs: [String]
    /// The number of cells along each axis.
    public var side: Int
    /// The number of boxes in each cell.
    public var boxesPerCell: Int
    /// Whether a box's size is t² times the input's (`sqrt`), not t times the input's.
    public var squaresSizes: Bool

    /// Creates a description of rows.
    public init(outputs: [String], side: Int, boxesPerCell: Int, squaresSizes: Bool = false) {
      self.outputs = outputs
      self.side = side
      self.boxesPerCell = boxesPerCell
      self.squaresSizes = squaresSizes
    }
  }

  /// Boxes that are already decoded.
  public struct DecodedBoxes: Hashable, Sendable {
    /// The output of the confidences, `[boxes, classes]`.
    public var confidences: String
    /// The output of the center x, center y, width and height in the input's unit square,
    /// `[boxes, 4]`.
    public var coordinates: String

    /// Creates a description of boxes.
    public init(confidences: String, coordinates: String) {
      self.confidences = confidences
      self.coordinates = coordinates
    }
  }
}

extension DetectorDescription.Head: CodedRecord {
  package init() { self.init(output: "", mask: [], stride: nil, scaleXY: 1) }

  package mutating func code<Coder: FieldCoder>(
    _ coder: inout Coder
  ) throws(WeighbridgeError) {
    try coder.string(1, "output", &output)
    try coder.indices(2, "mask", &mask)
    try coder.number(3, "stride", &stride)
    try coder.number(4, "scaleXY", &scaleXY, default: 1)
    try coder.choice(5, "boxPoint", &boxPoint, "point of a box", default: .center)
  }
}
