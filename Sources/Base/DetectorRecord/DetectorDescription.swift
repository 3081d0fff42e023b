/// How boxes are read from the outputs of a model that detects objects.
public struct DetectorDescription: Hashable, Sendable {
  /// The confidence threshold when none is given: darknet's.
  public static let defaultConfidenceThreshold = 0.25
  /// The overlap (intersection over union) above which boxes suppress each other when no threshold
  /// is given: darknet's.
  public static let defaultIoUThreshold = 0.45

  /// The family of output layers, with how its outputs are read.
  public enum Family: Hashable, Sendable {
    /// YOLOv2: anchors in grid cells, classes by softmax.
    case region(Grid)
    /// YOLOv3 and later: anchors in input pixels, classes by sigmoid.
    case yolo(Grid)
    /// YOLO with a standard deviation for each of a box's four means (Gaussian YOLOv3).
    case gaussianYOLO(Grid)
    /// YOLOv1: no anchors, and a flat vector instead of a grid.
    case detection(Row)
    /// Boxes that are already decoded, as a Core ML pipeline returns them.
    case boxes(DecodedBoxes)
  }

  /// The family of output layers.
  public var family: Family
  /// The number of classes, without the background.
  public var classCount: Int
  /// The parts of a box that the outputs contain after activation. The others must be activated
  /// when boxes are read.
  public var activated: Set<Part>
  /// The confidence threshold, when the model's owner set one.
  public var confidenceThreshold: Double?
  /// The overlap (intersection over union) above which boxes suppress each other, when set.
  public var iouThreshold: Double?
  /// The suppression of overlapping boxes, when the model's owner set one.
  public var suppression: Suppression?
  /// The exponent of the centers' distance in ``Suppression/distance``, when set.
  public var distanceExponent: Double?

  /// Creates a description.
  public init(
    _ family: Family, classCount: Int, activated: Set<Part> = [],
    confidenceThreshold: Double? = nil, iouThreshold: Double? = nil,
    suppression: Suppression? = nil, distanceExponent: Double? = nil
  ) {
    self.family = family
    self.classCount = classCount
    self.activated = activated
    self.confidenceThreshold = confidenceThreshold
    self.iouThreshold = iouThreshold
    self.suppression = suppression
    self.distanceExponent = distanceExponent
  }

  /// The family, without how its outputs are read.
  public var kind: Kind {
    switch family {
    case .region: .region
    case .yolo: .yolo
    case .gaussianYOLO: .gaussianYOLO
    case .detection: .detection
    case .boxes: .boxes
    }
  }

  /// The grids of cells of ``Family/region(_:)``, ``Family/yolo(_:)`` and
  /// ``Family/gaussianYOLO(_:)``; `nil` for other families, in which setting it has no effect.
  public var grid: Grid? {
    get {
      switch family {
      case .region(let grid), .yolo(let grid), .gaussianYOLO(let grid): grid
      case .detection, .boxes: nil
      }
    }
    set {
      guard let newValue else { return }
      switch family {
      case .region: family = .region(newValue)
      case .yolo: family = .yolo(newValue)
      case .gaussianYOLO: family = .gaussianYOLO(newValue)
      case .detection, .boxes: break
      }
    }
  }

  /// The names of the outputs that contain boxes.
  public var outputs: [String] {
    switch family {
    case .region(let grid), .yolo(let grid), .gaussianYOLO(let grid): grid.heads.map(\.output)
    case .detection(let row): row.outputs
    case .boxes(let boxes): [boxes.confidences, boxes.coordinates]
    }
  }

  /// The number of elements of a box in a head of a ``grid``, not counting its classes.
  public var coordinateCount: Int {
    let coordinates = kind == .gaussianYOLO ? 8 : 4
    guard let grid else { return coordinates }
    return coordinates + (grid.hasObjectness ? 1 : 0) + (grid.hasBackground ? 1 : 0)
  }
}
