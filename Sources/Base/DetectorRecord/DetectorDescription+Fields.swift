package import Bytes

extension DetectorDescription {
  /// The fields of a detector as files have them: one list for all families. Each may be absent,
  /// and each family uses some of them.
  public struct Fields: Hashable, Sendable {
    /// The family.
    public var kind: Kind
    /// Alternating widths and heights, in grid cells for region and in input pixels for yolo; none
    /// for ``Kind/detection`` and ``Kind/boxes``.
    public var anchors: [Double]
    /// The outputs that contain boxes, by new name; a stride of `nil` is computed from the shapes.
    /// By default all outputs, with equal shares of the anchors. For ``Kind/boxes``, first that of
    /// the confidences, then that of the coordinates.
    public var heads: [Head]?
    /// How the size of a box is stored; by default exponential, or a fraction for
    /// ``Kind/detection`` and ``Kind/boxes``.
    public var boxEncoding: BoxEncoding?
    /// Whether each box has a score for containing any object; true by default.
    public var hasObjectness: Bool?
    /// Whether the first class score is that of the background; false by default.
    public var hasBackground: Bool?
    /// The number of classes; by default that of the labels, else computed from the channels.
    public var classCount: Int?
    /// The parts of a box to which the model has already applied the activation; none by default.
    public var activated: Set<Part>?
    /// The order of a head's values; by default the axis order of the model's image.
    public var order: Order?
    /// The number of cells along each axis; for ``Kind/detection`` only.
    public var side: Int?
    /// The number of boxes in each cell; for ``Kind/detection`` only.
    public var boxesPerCell: Int?
    /// The tree of the classes, if they are not a flat list.
    public var classTree: ClassTree?
    /// The minimum confidence of a box that is reported, 0...1.
    public var confidenceThreshold: Double?
    /// The overlap (intersection over union, 0...1) above which boxes suppress each other.
    public var iouThreshold: Double?
    /// How overlapping boxes are suppressed.
    public var suppression: Suppression?
    /// The exponent of the centers' distance in ``Suppression/distance``.
    public var distanceExponent: Double?

    /// Creates fields of which the others are absent.
    public init(kind: Kind, anchors: [Double] = []) {
      self.kind = kind
      self.anchors = anchors
    }
  }

  /// The unit of anchors.
  package enum AnchorUnit: SchemaEnumeration {
    case gridCells, pixels
  }
}

extension DetectorDescription.Fields: CodedRecord {
  package init() { self.init(kind: .yolo) }

  /// The unit of the anchors, which follows from the family.
  private var anchorUnit: DetectorDescription.AnchorUnit { kind == .region ? .gridCells : .pixels }

  package mutating func code<Coder: FieldCoder>(
    _ coder: inout Coder
  ) throws(WeighbridgeError) {
    try coder.choice(1, "kind", &kind, "detector kind", default: nil)
    try coder.pairs(2, "anchors", &anchors)
    try coder.implied(
      3, anchorUnit, "anchor unit",
      orThrow: "the unit of the detector's anchors does not match its kind")
    try coder.records(4, "heads", &heads)
    try coder.choice(5, "boxEncoding", &boxEncoding, "box encoding")
    try coder.flag(6, "objectness", &hasObjectness)
    try coder.flag(13, "background", &hasBackground)
    try coder.count(7, "classes", &classCount)
    try coder.choices(11, "activated", &activated, "part of a box")
    try coder.choice(12, "order", &order, "order of a head")
    try coder.count(14, "side", &side)
    try coder.count(15, "boxesPerCell", &boxesPerCell)
    try coder.record(16, "classTree", &classTree)
    try coder.number(8, "confidenceThreshold", &confidenceThreshold)
    try coder.number(9, "overlapThreshold", &iouThreshold)
    try coder.choice(10, "suppression", &suppression, "suppression kind")
    try coder.number(17, "distanceExponent", &distanceExponent)
  }
}

extension DetectorDescription {
  /// Creates the description that fields give, with defaults for those that are absent.
  /// Fields of other families are ignored.
  package init(_ fields: Fields) {
    let outputs = (fields.heads ?? []).map(\.output)
    let family: Family =
      switch fields.kind {
      case .region: .region(fields.grid)
      case .yolo: .yolo(fields.grid)
      case .gaussianYOLO: .gaussianYOLO(fields.grid)
      case .detection:
        .detection(
          Row(
            outputs: outputs, side: fields.side ?? 0, boxesPerCell: fields.boxesPerCell ?? 0,
            squaresSizes: fields.boxEncoding == .squareRoot))
      case .boxes:
        .boxes(
          DecodedBoxes(
            confidences: outputs.first ?? "", coordinates: outputs.dropFirst().first ?? ""))
      }
    self.init(
      family, classCount: fields.classCount ?? 0, activated: fields.activated ?? [],
      confidenceThreshold: fields.confidenceThreshold, iouThreshold: fields.iouThreshold,
      suppression: fields.suppression, distanceExponent: fields.distanceExponent)
  }

  /// The description as the fields of a file.
  package var fields: Fields {
    var fields = Fields(kind: kind)
    fields.hasBackground = false
    switch family {
    case .region(let grid), .yolo(let grid), .gaussianYOLO(let grid): fields.grid = grid
    case .detection(let row):
      fields.setOutputs(row.outputs)
      (fields.side, fields.boxesPerCell) = (row.side, row.boxesPerCell)
      fields.boxEncoding = row.squaresSizes ? .squareRoot : .fraction
      fields.hasObjectness = true
    case .boxes(let boxes):
      fields.setOutputs([boxes.confidences, boxes.coordinates])
      fields.boxEncoding = .fraction
      fields.hasObjectness = false
    }
    fields.classCount = classCount
    fields.activated = activated
    (fields.confidenceThreshold, fields.iouThreshold) = (confidenceThreshold, iouThreshold)
    (fields.suppression, fields.distanceExponent) = (suppression, distanceExponent)
    return fields
  }
}

extension DetectorDescription.Fields {
  /// The fields of outputs with a grid of cells.
  fileprivate var grid: DetectorDescription.Grid {
    get {
      DetectorDescription.Grid(
        anchors: stride(from: 0, to: anchors.count - 1, by: 2).map {
          .init(width: anchors[$0], height: anchors[$0 + 1])
        },
        heads: heads ?? [], squaresSizes: boxEncoding == .squared,
        hasObjectness: hasObjectness ?? true, hasBackground: hasBackground ?? false,
        order: order, classTree: classTree)
    }
    set {
      anchors = newValue.anchors.flatMap { [$0.width, $0.height] }
      heads = newValue.heads
      boxEncoding = newValue.squaresSizes ? .squared : .exponential
      (hasObjectness, hasBackground) = (newValue.hasObjectness, newValue.hasBackground)
      (order, classTree) = (newValue.order, newValue.classTree)
    }
  }

  /// Sets the outputs that contain boxes, without anchors.
  fileprivate mutating func setOutputs(_ outputs: [String]) {
    heads = outputs.map { .init(output: $0, mask: [], stride: nil, scaleXY: 1) }
  }
}
