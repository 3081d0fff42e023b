// What version 0.2 had for all families at once; deprecated.
extension DetectorDescription {
  /// The former name of ``defaultIoUThreshold``.
  @available(*, deprecated, renamed: "defaultIoUThreshold")
  public static var defaultOverlapThreshold: Double { defaultIoUThreshold }

  /// The former name of ``iouThreshold``.
  @available(*, deprecated, renamed: "iouThreshold")
  public var overlapThreshold: Double? {
    get { iouThreshold }
    set { iouThreshold = newValue }
  }

  /// All anchors; empty where boxes are not relative to anchors.
  @available(*, deprecated, message: "use grid?.anchors")
  public var anchors: [Anchor] {
    get { grid?.anchors ?? [] }
    set { grid?.anchors = newValue }
  }

  /// The outputs that contain boxes.
  @available(*, deprecated, message: "use grid?.heads, or outputs")
  public var heads: [Head] {
    get { fields.heads ?? [] }
    set { set(\.heads, newValue) }
  }

  /// The encoding of a box's size.
  @available(*, deprecated, message: "use squaresSizes of the family")
  public var boxEncoding: BoxEncoding {
    get { fields.boxEncoding ?? .exponential }
    set { set(\.boxEncoding, newValue) }
  }

  /// Whether each box has a score for containing any object.
  @available(*, deprecated, message: "use grid?.hasObjectness")
  public var hasObjectness: Bool {
    get { fields.hasObjectness ?? true }
    set { grid?.hasObjectness = newValue }
  }

  /// Whether the first class score is that of the background.
  @available(*, deprecated, message: "use grid?.hasBackground")
  public var hasBackground: Bool {
    get { grid?.hasBackground ?? false }
    set { grid?.hasBackground = newValue }
  }

  /// The order of a head's elements; `nil` for that of the image's layout.
  @available(*, deprecated, message: "use grid?.order")
  public var order: Order? {
    get { grid?.order }
    set { grid?.order = newValue }
  }

  /// The number of cells along each axis; for ``Kind/detection`` only.
  @available(*, deprecated, message: "use the row of the family detection")
  public var side: Int? {
    get { fields.side }
    set { set(\.side, newValue) }
  }

  /// The number of boxes in each cell; for ``Kind/detection`` only.
  @available(*, deprecated, message: "use the row of the family detection")
  public var boxesPerCell: Int? {
    get { fields.boxesPerCell }
    set { set(\.boxesPerCell, newValue) }
  }

  /// The hierarchy of the classes, when they are not a plain list.
  @available(*, deprecated, message: "use grid?.classTree")
  public var classTree: ClassTree? {
    get { grid?.classTree }
    set { grid?.classTree = newValue }
  }

  /// Creates a description; members that the family does not have are ignored.
  @available(*, deprecated, message: "use a family: .yolo(Grid(anchors:heads:))")
  public init(
    kind: Kind, anchors: [Anchor], heads: [Head], boxEncoding: BoxEncoding, hasObjectness: Bool,
    hasBackground: Bool = false, classCount: Int, activated: Set<Part> = [], order: Order? = nil,
    side: Int? = nil, boxesPerCell: Int? = nil, classTree: ClassTree? = nil,
    confidenceThreshold: Double? = nil, overlapThreshold: Double? = nil,
    suppression: Suppression? = nil, distanceExponent: Double? = nil
  ) {
    var fields = Fields(kind: kind, anchors: anchors.flatMap { [$0.width, $0.height] })
    (fields.heads, fields.boxEncoding) = (heads, boxEncoding)
    (fields.hasObjectness, fields.hasBackground) = (hasObjectness, hasBackground)
    (fields.classCount, fields.activated, fields.order) = (classCount, activated, order)
    (fields.side, fields.boxesPerCell, fields.classTree) = (side, boxesPerCell, classTree)
    fields.confidenceThreshold = confidenceThreshold
    fields.iouThreshold = overlapThreshold
    (fields.suppression, fields.distanceExponent) = (suppression, distanceExponent)
    self.init(fields)
  }

  private mutating func set<Value>(_ field: WritableKeyPath<Fields, Value>, _ value: Value) {
    var fields = fields
    fields[keyPath: field] = value
    self = DetectorDescription(fields)
  }
}

extension DetectorDescription.Fields {
  /// The former name of ``iouThreshold``.
  @available(*, deprecated, renamed: "iouThreshold")
  public var overlapThreshold: Double? {
    get { iouThreshold }
    set { iouThreshold = newValue }
  }
}
