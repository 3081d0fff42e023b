/// How boxes are read from the outputs of a model that detects objects.
public struct DetectorDescription: Hashable, Sendable {
  /// The least confidence worth showing when nobody says one: darknet's.
  public static let defaultConfidenceThreshold = 0.25
  /// The overlap above which boxes suppress each other when nobody says one: darknet's.
  public static let defaultOverlapThreshold = 0.45

  /// The family.
  public var kind: Kind
  /// All anchors; none where boxes are not measured by anchors.
  public var anchors: [Anchor]
  /// The outputs that hold boxes; for ``Kind/boxes`` that of the confidences, then that of the places.
  public var heads: [Head]
  /// How a box's size is stored.
  public var boxEncoding: BoxEncoding
  /// Whether each box has a score for holding any object at all.
  public var hasObjectness: Bool
  /// Whether the first class score stands for no object at all; it is not one of ``classCount``.
  public var hasBackground: Bool
  /// The number of classes.
  public var classCount: Int
  /// The parts of a box that the outputs hold after their activation. The others are still to be
  /// activated when boxes are read.
  public var activated: Set<Part>
  /// The order of a head's numbers; when not said, by the layout of the model's image.
  public var order: Order?
  /// The number of cells along each axis; of ``Kind/detection`` only.
  public var side: Int?
  /// The number of boxes in each cell; of ``Kind/detection`` only.
  public var boxesPerCell: Int?
  /// How the classes are arranged, when they are not a plain list.
  public var classTree: ClassTree?
  /// The least confidence worth showing, when the model's owner set one.
  public var confidenceThreshold: Double?
  /// The overlap (intersection over union) above which boxes suppress each other, when set.
  public var overlapThreshold: Double?
  /// How overlapping boxes are thinned out, when the model's owner said so.
  public var suppression: Suppression?
  /// The exponent of the centres' distance in ``Suppression/distance``, when set.
  public var distanceExponent: Double?

  /// Makes a description.
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

  /// Describes boxes that are decoded already.
  ///
  /// - Parameter outputs: The names of the confidences and of the places.
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

  /// How many numbers a head of ``Kind/region``, ``Kind/yolo`` or ``Kind/gaussianYOLO`` has for a
  /// box besides those of the classes.
  public var coordinateCount: Int {
    (kind == .gaussianYOLO ? 8 : 4) + (hasObjectness ? 1 : 0) + (hasBackground ? 1 : 0)
  }

  /// Whether the boxes stand in the cells of a grid, with channels.
  package var hasGrid: Bool { kind != .detection && kind != .boxes }

  /// The order of a head's numbers.
  ///
  /// - Parameter layout: The order of the image's axes: that of heads that do not say their own.
  package func order(in layout: DataLayout) -> Order {
    order ?? (layout == .channelsFirst ? .channelsFirst : .channelsLast)
  }
}
