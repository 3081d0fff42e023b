import CWBM

extension WBMDetector.Kind: SchemaEnumeration {
  static var title: String { "detector kind" }

  var schemaNumber: UInt32 {
    switch self {
    case .region: WEIGHBRIDGE__V1__DETECTOR_KIND__DETECTOR_KIND_REGION.rawValue
    case .yolo: WEIGHBRIDGE__V1__DETECTOR_KIND__DETECTOR_KIND_YOLO.rawValue
    case .gaussianYOLO: WEIGHBRIDGE__V1__DETECTOR_KIND__DETECTOR_KIND_GAUSSIAN_YOLO.rawValue
    case .detection: WEIGHBRIDGE__V1__DETECTOR_KIND__DETECTOR_KIND_DETECTION.rawValue
    case .boxes: WEIGHBRIDGE__V1__DETECTOR_KIND__DETECTOR_KIND_BOXES.rawValue
    }
  }
}

extension WBMDetector.AnchorUnit: SchemaEnumeration {
  static var title: String { "anchor unit" }

  var schemaNumber: UInt32 {
    switch self {
    case .gridCells: WEIGHBRIDGE__V1__ANCHOR_UNIT__ANCHOR_UNIT_GRID_CELLS.rawValue
    case .pixels: WEIGHBRIDGE__V1__ANCHOR_UNIT__ANCHOR_UNIT_PIXELS.rawValue
    }
  }
}

extension WBMDetector.BoxEncoding: SchemaEnumeration {
  static var title: String { "box encoding" }

  var schemaNumber: UInt32 {
    switch self {
    case .exponential: WEIGHBRIDGE__V1__BOX_ENCODING__BOX_ENCODING_EXPONENTIAL.rawValue
    case .squared: WEIGHBRIDGE__V1__BOX_ENCODING__BOX_ENCODING_SQUARED.rawValue
    case .fraction: WEIGHBRIDGE__V1__BOX_ENCODING__BOX_ENCODING_FRACTION.rawValue
    case .squareRoot: WEIGHBRIDGE__V1__BOX_ENCODING__BOX_ENCODING_SQUARE_ROOT.rawValue
    }
  }
}

extension WBMDetector.Suppression: SchemaEnumeration {
  static var title: String { "suppression kind" }

  var schemaNumber: UInt32 {
    switch self {
    case .none: WEIGHBRIDGE__V1__SUPPRESSION_KIND__SUPPRESSION_KIND_NONE.rawValue
    case .greedy: WEIGHBRIDGE__V1__SUPPRESSION_KIND__SUPPRESSION_KIND_GREEDY.rawValue
    case .diou: WEIGHBRIDGE__V1__SUPPRESSION_KIND__SUPPRESSION_KIND_DIOU.rawValue
    case .classAgnostic: WEIGHBRIDGE__V1__SUPPRESSION_KIND__SUPPRESSION_KIND_CLASS_AGNOSTIC.rawValue
    }
  }
}

extension WBMDetector.Part: SchemaEnumeration {
  static var title: String { "part of a box" }

  var schemaNumber: UInt32 {
    switch self {
    case .centers: WEIGHBRIDGE__V1__DETECTOR_PART__DETECTOR_PART_CENTERS.rawValue
    case .objectness: WEIGHBRIDGE__V1__DETECTOR_PART__DETECTOR_PART_OBJECTNESS.rawValue
    case .classes: WEIGHBRIDGE__V1__DETECTOR_PART__DETECTOR_PART_CLASSES.rawValue
    }
  }
}

extension WBMDetector.Order: SchemaEnumeration {
  static var title: String { "order of a head" }

  var schemaNumber: UInt32 {
    switch self {
    case .channelsLast: WEIGHBRIDGE__V1__HEAD_ORDER__HEAD_ORDER_CHANNELS_LAST.rawValue
    case .channelsFirst: WEIGHBRIDGE__V1__HEAD_ORDER__HEAD_ORDER_CHANNELS_FIRST.rawValue
    case .cellsFirst: WEIGHBRIDGE__V1__HEAD_ORDER__HEAD_ORDER_CELLS_FIRST.rawValue
    }
  }
}

extension WBMDetector.BoxPoint: SchemaEnumeration {
  static var title: String { "point of a box" }

  var schemaNumber: UInt32 {
    switch self {
    case .leftTop: WEIGHBRIDGE__V1__BOX_POINT__BOX_POINT_LEFT_TOP.rawValue
    case .rightBottom: WEIGHBRIDGE__V1__BOX_POINT__BOX_POINT_RIGHT_BOTTOM.rawValue
    }
  }
}

extension WBMDetector.TreeChoice: SchemaEnumeration {
  static var title: String { "choice of a class tree" }

  var schemaNumber: UInt32 {
    switch self {
    case .last: WEIGHBRIDGE__V1__TREE_CHOICE__TREE_CHOICE_LAST.rawValue
    case .walk: WEIGHBRIDGE__V1__TREE_CHOICE__TREE_CHOICE_WALK.rawValue
    }
  }
}
