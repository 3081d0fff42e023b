/// How boxes are read from the outputs of a model that detects objects.
public struct DetectorDescription: Hashable, Sendable {
  /// The confidence threshold when none is given: darknet's.
  public static let defaultConfidenceThreshold = 0.25
  /// The overlap above which boxes suppress each other when no threshold is given: darknet's.
  public static let defaultOverlapThreshold = 0.45

  /// The family.
  public var kind: Kind
  /// All anchors; empty where boxes are not relative to anchors.
  public var anchors: [Anchor]
  /// The outputs that contain boxes; for ``Kind/boxes``, first that of the confidences, then that
  /// of the coordinates.
  public var heads: [Head]
  /// The encoding of a box's size.
  public var boxEncoding: BoxEncoding
  /// Whether each box has a score for containing any object.
  public var hasObjectness: Bool
  /// Whether the first class score is that of the background; it is not one of ``classCount``.
  public var hasBackground: Bool
  /// The number of classes.
  public var classCount: Int
  /// The parts of a box that the outputs contain after activation. The others must be activated
  /// when boxes are read.
  public var activated: Set<Part>
  /// The order of a head's elements; `nil` for that of the image's layout.
  public var order: Order?
  /// The number of cells along each axis; for ``Kind/detection`` only.
  public var side: Int?
  /// The number of boxes in each cell; for ``Kind/detection`` only.
  public var boxesPerCell: Int?
  /// The hierarchy of the classes, when they are not a plain list.
  public var classTree: ClassTree?
  /// The confidence threshold, when the model's owner set one.
  public var confidenceThreshold: Double?
  /// The overlap (intersection over union) above which boxes suppress each other, when set.
  public var overlapThreshold: Double?
  /// The suppression of overlapping boxes, when the model's owner set one.
  public var suppression: Suppression?
  /// The exponent of the centers' distance in ``Suppression/distance``, when set.
  public var distanceExponent: Double?

  /// Creates a description.
  public init(
    kind: Kind, anchors: [Anchor], heads: [Head], boxEncoding: BoxEncoding, hasObjectness: Bool,
    hasBackground: Bool = false, classCount: Int, activated: Set<Part> = [], order: Order? = nil,
    side: Int? = nil, boxesPerCell: Int? = nil, classTree: ClassTree? = nil,
    confidenceThreshold: Double? = nil, overlapThreshold: Double? = nil,
    suppression: Suppression? = nil, distanceExponent: Double? = nil
  ) {
    self.kind = kind
    self.anchors = anchors
    self.heads = heads
    self.boxEncoding = boxEncoding
    self.hasObjectness = hasObjectness
    self.hasBackground = hasBackground
    self.classCount = classCount
    self.activated = activated
    self.order = order
    self.side = side
    self.boxesPerCell = boxesPerCell
    self.classTree = classTree
    self.confidenceThreshold = confidenceThreshold
    self.overlapThreshold = overlapThreshold
    self.suppression = suppression
    self.distanceExponent = distanceExponent
  }

  /// Describes boxes that are already decoded.
  ///
  /// - Parameter outputs: The names of the outputs of the confidences and of the coordinates.
  package init(
    boxes outputs: [String], classCount: Int, confidenceThreshold: Double,
    overlapThreshold: Double, suppression: Suppression
  ) {
    self.init(
      kind: .boxes, anchors: [],
      heads: outputs.map { Head(output: $0, mask: [], stride: nil, scaleXY: 1) },
      boxEncoding: .fraction, hasObjectness: false, classCount: classCount,
      confidenceThreshold: confidenceThreshold, overlapThreshold: overlapThreshold,
      suppression: suppression)
  }

  /// The number of elements of a box in a head of ``Kind/region``, ``Kind/yolo`` or
  /// ``Kind/gaussianYOLO``, not counting its classes.
  public var coordinateCount: Int {
    (kind == .gaussianYOLO ? 8 : 4) + (hasObjectness ? 1 : 0) + (hasBackground ? 1 : 0)
  }

  /// Whether the boxes are in the cells of a grid, with channels.
  package var hasGrid: Bool { kind != .detection && kind != .boxes }

  /// The order of a head's elements.
  ///
  /// - Parameter layout: The order of the image's axes: the order of heads that do not set their
  ///   own.
  package func order(in layout: DataLayout) -> Order {
    order ?? (layout == .channelsFirst ? .channelsFirst : .channelsLast)
  }
}
