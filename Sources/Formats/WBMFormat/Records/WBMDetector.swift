package import ProtobufWire

/// The conversion of a detector's outputs to boxes.
package struct WBMDetector: Hashable, Sendable {
  /// The family of detection heads: `region` (YOLO version 2), `yolo` (version 3 and later),
  /// `gaussianYOLO` (the same with standard deviations), `detection` (version 1), or `boxes`, which
  /// are already decoded.
  package enum Kind: String, Hashable, Sendable, SchemaEnumeration {
    case region, yolo
    case gaussianYOLO = "gaussian-yolo"
    case detection, boxes
  }

  /// A part of a box.
  package enum Part: String, Hashable, Sendable, SchemaEnumeration {
    case centers, objectness, classes
  }

  /// The order of a head's elements.
  package enum Order: String, Hashable, Sendable, SchemaEnumeration {
    case channelsLast = "channels_last"
    case channelsFirst = "channels_first"
    case cellsFirst = "cells_first"
  }

  /// The point of a box that is relative to its cell.
  package enum BoxPoint: String, Hashable, Sendable, SchemaEnumeration {
    case leftTop = "left_top"
    case rightBottom = "right_bottom"
  }

  /// The rule by which the class in a tree is chosen.
  package enum TreeChoice: String, Hashable, Sendable, SchemaEnumeration {
    case last, walk
  }

  /// The unit of anchors.
  package enum AnchorUnit: Hashable, Sendable, SchemaEnumeration {
    case gridCells, pixels
  }

  /// The decoding of four elements of a head to a box; the formulas are in `Schemas/wbm.proto`.
  package enum BoxEncoding: String, Hashable, Sendable, SchemaEnumeration {
    case exponential, squared, fraction
    case squareRoot = "square-root"
  }

  /// The method of suppressing overlapping boxes.
  package enum Suppression: String, Hashable, Sendable, SchemaEnumeration {
    case none, greedy
    case diou = "distance"
    case classAgnostic = "class-agnostic"
  }

  /// The size of a typical box, in the detector's anchor unit.
  package struct Anchor: Hashable, Sendable {
    /// Its width.
    package var width: Double
    /// Its height.
    package var height: Double
    /// Fields of a later version.
    package var unknownFields = UnknownFields()
  }

  /// An output that contains boxes.
  package struct Head: Hashable, Sendable {
    /// The name of the graph output.
    package var output: String
    /// The anchors of this head, by their index in ``WBMDetector/anchors``.
    package var mask: [Int]
    /// The number of input pixels for each cell of the head's grid, when it is fixed.
    package var stride: Double?
    /// The factor by which the offset of a box's center in its cell is scaled; 1 for none.
    package var scaleXY: Double
    /// The point of a box that is relative to its cell; `nil` for the center.
    package var boxPoint: BoxPoint?
    /// Fields of a later version.
    package var unknownFields = UnknownFields()
  }

  /// A hierarchy of classes, in which a class may be a subclass of another.
  package struct ClassTree: Hashable, Sendable {
    /// The parent of each class; `nil` for a root.
    package var parents: [Int?]
    /// The probability above which a class is reported instead of its parent.
    package var threshold: Double
    /// The rule by which the class of a box is chosen.
    package var choice: TreeChoice
    /// Fields of a later version.
    package var unknownFields = UnknownFields()
  }

  /// The family of detection heads.
  package var kind: Kind
  /// All anchors; the heads' masks select from them.
  package var anchors: [Anchor]
  /// The unit of the anchors.
  package var anchorUnit: AnchorUnit
  /// The heads in the order of the source.
  package var heads: [Head]
  /// The decoding of four elements to a box.
  package var boxEncoding: BoxEncoding
  /// Whether each box has an objectness in addition to its class scores.
  package var hasObjectness: Bool
  /// The number of classes.
  package var classCount: Int
  /// Boxes with a lower confidence are dropped.
  package var confidenceThreshold: Double?
  /// Of two boxes with a higher intersection over union, the less confident one is dropped.
  package var iouThreshold: Double?
  /// The suppression of overlapping boxes; `nil` if not specified.
  package var suppression: Suppression?
  /// The parts of a box that the outputs contain after activation.
  package var activated: [Part] = []
  /// The order of a head's elements; `nil` for that of the image input.
  package var order: Order?
  /// Whether the first class score is that of the background.
  package var hasBackground = false
  /// The number of cells along width and height; 0 except for ``Kind/detection``.
  package var side = 0
  /// The number of boxes in each cell; 0 except for ``Kind/detection``.
  package var boxesPerCell = 0
  /// The hierarchy of the classes; `nil` if they are a plain list.
  package var classTree: ClassTree?
  /// The exponent of the distance in DIoU-NMS, if specified.
  package var diouExponent: Double?
  /// Fields of a later version.
  package var unknownFields = UnknownFields()
}
