extension DetectorDescription {
  /// The family of output layers.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// YOLOv2's: anchors in grid cells, classes by softmax.
    case region
    /// YOLOv3's and later: anchors in input pixels, classes by sigmoid.
    case yolo
    /// The same with a deviation beside each of a box's four means (Gaussian YOLOv3).
    case gaussianYOLO = "gaussian-yolo"
    /// YOLOv1's: no anchors, and a row of numbers in place of a grid.
    case detection
    /// Boxes that are decoded already, as a Core ML pipeline gives them: of two outputs the first is
    /// `[boxes, classes]`, the confidences, and the second `[boxes, 4]`: centre x, centre y, width and
    /// height in the input's unit square.
    case boxes
  }

  /// How a box's size is stored.
  public enum BoxEncoding: String, Hashable, Sendable, CaseIterable {
    /// exp(t) times the anchor.
    case exponential
    /// (2t)² times the anchor, t after its activation (`new_coords`).
    case squared
    /// t times the input; of ``Kind/detection`` and ``Kind/boxes``.
    case fraction
    /// t² times the input (YOLOv1's `sqrt`).
    case squareRoot = "square-root"
  }

  /// How overlapping boxes of one object are thinned out.
  public enum Suppression: String, Hashable, Sendable, CaseIterable {
    /// Not at all.
    case none
    /// The most confident box of a class removes those of that class that overlap it.
    case greedy
    /// Greedy, with the centres' distance taken into account (DIoU).
    case distance
    /// Greedy over the boxes of all classes at once.
    case classAgnostic = "class-agnostic"
  }

  /// What a box is made of.
  public enum Part: String, Hashable, Sendable, CaseIterable {
    /// The place of the centre in its cell: sigmoid, then the stretching by ``Head/scaleXY``.
    case centers
    /// The score for holding any object: sigmoid. With the box's deviations, where it has some.
    case objectness
    /// The scores of the classes: softmax for ``Kind/region``, else sigmoid.
    case classes
  }

  /// The order of a head's numbers; `entries` are a box's coordinates, objectness and classes.
  public enum Order: String, Hashable, Sendable, CaseIterable {
    /// `[batch, height, width, boxes * entries]`
    case channelsLast = "channels_last"
    /// `[batch, boxes * entries, height, width]`
    case channelsFirst = "channels_first"
    /// The shape of ``channelsFirst`` over the order in memory of ``channelsLast``, as
    /// AlexeyAB's darknet leaves a region layer.
    case cellsFirst = "cells_first"
  }

  /// The point of a box that a cell places.
  public enum BoxPoint: String, Hashable, Sendable, CaseIterable {
    /// The centre.
    case center
    /// The upper left corner.
    case leftTop = "left_top"
    /// The lower right corner.
    case rightBottom = "right_bottom"
  }
}
