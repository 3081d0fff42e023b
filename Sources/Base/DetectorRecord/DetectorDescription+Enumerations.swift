extension DetectorDescription {
  /// The family of output layers.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// YOLOv2: anchors in grid cells, classes by softmax.
    case region
    /// YOLOv3 and later: anchors in input pixels, classes by sigmoid.
    case yolo
    /// YOLO with a standard deviation for each of a box's four means (Gaussian YOLOv3).
    case gaussianYOLO = "gaussian-yolo"
    /// YOLOv1: no anchors, and a flat vector instead of a grid.
    case detection
    /// Boxes that are already decoded, as a Core ML pipeline returns them.
    case boxes
  }

  /// The encoding of a box's size.
  public enum BoxEncoding: String, Hashable, Sendable, CaseIterable {
    /// exp(t) times the anchor.
    case exponential
    /// (2t)² times the anchor, t after its activation (`new_coords`).
    case squared
    /// t times the input; for ``Kind/detection`` and ``Kind/boxes``.
    case fraction
    /// t² times the input (YOLOv1's `sqrt`).
    case squareRoot = "square-root"
  }

  /// The method of suppressing overlapping boxes of one object.
  public enum Suppression: String, Hashable, Sendable, CaseIterable {
    /// No suppression.
    case none
    /// The most confident box of a class suppresses the boxes of that class that overlap it.
    case greedy
    /// Greedy, with the centers' distance taken into account (DIoU).
    case distance
    /// Greedy over the boxes of all classes at once.
    case classAgnostic = "class-agnostic"
  }

  /// A part of a box.
  public enum Part: String, Hashable, Sendable, CaseIterable {
    /// The position of the center in its cell: sigmoid, then scaling by ``Head/scaleXY``.
    case centers
    /// The score for containing any object: sigmoid. Includes the box's standard deviations, if
    /// any.
    case objectness
    /// The scores of the classes: softmax for ``Kind/region``, else sigmoid.
    case classes
  }

  /// The order of a head's elements; `entries` are a box's coordinates, objectness and classes.
  public enum Order: String, Hashable, Sendable, CaseIterable {
    /// `[batch, height, width, boxes * entries]`
    case channelsLast = "channels_last"
    /// `[batch, boxes * entries, height, width]`
    case channelsFirst = "channels_first"
    /// The shape of ``channelsFirst`` with the memory order of ``channelsLast``, as AlexeyAB's
    /// darknet outputs a region layer.
    case cellsFirst = "cells_first"
  }

  /// The point of a box that is relative to its cell.
  public enum BoxPoint: String, Hashable, Sendable, CaseIterable {
    /// The center.
    case center
    /// The upper left corner.
    case leftTop = "left_top"
    /// The lower right corner.
    case rightBottom = "right_bottom"
  }
}

extension DetectorDescription.Kind: SchemaEnumeration {}
extension DetectorDescription.BoxEncoding: SchemaEnumeration {}
extension DetectorDescription.Suppression: SchemaEnumeration {}
extension DetectorDescription.Part: SchemaEnumeration {}
extension DetectorDescription.Order: SchemaEnumeration {}
extension DetectorDescription.ClassTree.Choice: SchemaEnumeration {}
extension DetectorDescription.BoxPoint: SchemaEnumeration {
  package static var firstNumber: UInt32 { 0 }
}
