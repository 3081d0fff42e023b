package import ProtobufWire

/// How to turn a detector's outputs into boxes.
package struct WBMDetector: Hashable, Sendable {
  /// The family of detection heads: YOLO version 2, version 3 and later, the same with deviations,
  /// version 1; and boxes that are decoded already.
  package enum Kind: String, Hashable, Sendable, SchemaEnumeration {
    case region, yolo
    case gaussianYOLO = "gaussian-yolo"
    case detection, boxes
  }

  /// What a box is made of.
  package enum Part: String, Hashable, Sendable, SchemaEnumeration {
    case centers, objectness, classes
  }

  /// The order of a head's numbers.
  package enum Order: String, Hashable, Sendable, SchemaEnumeration {
    case channelsLast = "channels_last"
    case channelsFirst = "channels_first"
    case cellsFirst = "cells_first"
  }

  /// The point of a box that its cell places.
  package enum BoxPoint: String, Hashable, Sendable, SchemaEnumeration {
    case leftTop = "left_top"
    case rightBottom = "right_bottom"
  }

  /// Which class of a tree is reported.
  package enum TreeChoice: String, Hashable, Sendable, SchemaEnumeration {
    case last, walk
  }

  /// What anchors are measured in.
  package enum AnchorUnit: Hashable, Sendable, SchemaEnumeration {
    case gridCells, pixels
  }

  /// How four numbers of a head become a box; the formulas stand in `Schemas/wbm.proto`.
  package enum BoxEncoding: String, Hashable, Sendable, SchemaEnumeration {
    case exponential, squared, fraction
    case squareRoot = "square-root"
  }

  /// How overlapping boxes are dropped.
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

  /// One output that holds boxes.
  package struct Head: Hashable, Sendable {
    /// The name of the graph output.
    package var output: String
    /// The anchors of this head, by their position in ``WBMDetector/anchors``.
    package var mask: [Int]
    /// Input pixels for each cell of the head's grid, when that is fixed.
    package var stride: Double?
    /// The factor that stretches a box center's place in its cell; 1 leaves it.
    package var scaleXY: Double
    /// The point of a box that its cell places; `nil` for the center.
    package var boxPoint: BoxPoint?
    /// Fields of a later version.
    package var unknownFields = UnknownFields()
  }

  /// Classes of which some are kinds of others.
  package struct ClassTree: Hashable, Sendable {
    /// The parent of each class; `nil` for a root.
    package var parents: [Int?]
    /// The probability above which a class is named rather than its parent.
    package var threshold: Double
    /// Which class of a box is reported.
    package var choice: TreeChoice
    /// Fields of a later version.
    package var unknownFields = UnknownFields()
  }

  /// The family of detection heads.
  package var kind: Kind
  /// All anchors; the heads' masks pick from them.
  package var anchors: [Anchor]
  /// What the anchors are measured in.
  package var anchorUnit: AnchorUnit
  /// The heads in the order of the source.
  package var heads: [Head]
  /// How four numbers become a box.
  package var boxEncoding: BoxEncoding
  /// Whether each box has an objectness beside its class scores.
  package var hasObjectness: Bool
  /// The number of classes.
  package var classCount: Int
  /// Boxes of lower confidence are dropped.
  package var confidenceThreshold: Double?
  /// Of two boxes that overlap by more (intersection over union), the weaker is dropped.
  package var iouThreshold: Double?
  /// How overlapping boxes are dropped; `nil` when that is not stated.
  package var suppression: Suppression?
  /// The parts of a box that the outputs hold after their activation.
  package var activated: [Part] = []
  /// The order of a head's numbers; `nil` when it is that of the image input.
  package var order: Order?
  /// Whether the first class score stands for no object.
  package var hasBackground = false
  /// Cells along width and height; 0 but for ``Kind/detection``.
  package var side = 0
  /// Boxes in each cell; 0 but for ``Kind/detection``.
  package var boxesPerCell = 0
  /// How the classes are arranged, when they are not a plain list.
  package var classTree: ClassTree?
  /// The exponent of the distance in DIoU-NMS, when that is stated.
  package var diouExponent: Double?
  /// Fields of a later version.
  package var unknownFields = UnknownFields()
}
