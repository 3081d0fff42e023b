import GraphIR
import WBMFormat

// The words of a detector, as the graph and as the file have them.

extension WBMDetector.Kind {
  init(_ word: DetectorDescription.Kind) {
    self =
      switch word {
      case .region: .region
      case .yolo: .yolo
      case .gaussianYOLO: .gaussianYOLO
      case .detection: .detection
      case .boxes: .boxes
      }
  }
}

extension DetectorDescription.Kind {
  init(_ word: WBMDetector.Kind) {
    self =
      switch word {
      case .region: .region
      case .yolo: .yolo
      case .gaussianYOLO: .gaussianYOLO
      case .detection: .detection
      case .boxes: .boxes
      }
  }
}

extension WBMDetector.BoxEncoding {
  init(_ word: DetectorDescription.BoxEncoding) {
    self =
      switch word {
      case .exponential: .exponential
      case .squared: .squared
      case .fraction: .fraction
      case .squareRoot: .squareRoot
      }
  }
}

extension DetectorDescription.BoxEncoding {
  init(_ word: WBMDetector.BoxEncoding) {
    self =
      switch word {
      case .exponential: .exponential
      case .squared: .squared
      case .fraction: .fraction
      case .squareRoot: .squareRoot
      }
  }
}

extension WBMDetector.Suppression {
  init(_ word: DetectorDescription.Suppression) {
    self =
      switch word {
      case .none: .none
      case .greedy: .greedy
      case .distance: .diou
      case .classAgnostic: .classAgnostic
      }
  }
}

extension DetectorDescription.Suppression {
  init(_ word: WBMDetector.Suppression) {
    self =
      switch word {
      case .none: .none
      case .greedy: .greedy
      case .diou: .distance
      case .classAgnostic: .classAgnostic
      }
  }
}

extension WBMDetector.Part {
  init(_ word: DetectorDescription.Part) {
    self =
      switch word {
      case .centers: .centers
      case .objectness: .objectness
      case .classes: .classes
      }
  }
}

extension DetectorDescription.Part {
  init(_ word: WBMDetector.Part) {
    self =
      switch word {
      case .centers: .centers
      case .objectness: .objectness
      case .classes: .classes
      }
  }
}

extension WBMDetector.Order {
  init(_ word: DetectorDescription.Order) {
    self =
      switch word {
      case .channelsLast: .channelsLast
      case .channelsFirst: .channelsFirst
      case .cellsFirst: .cellsFirst
      }
  }
}

extension DetectorDescription.Order {
  init(_ word: WBMDetector.Order) {
    self =
      switch word {
      case .channelsLast: .channelsLast
      case .channelsFirst: .channelsFirst
      case .cellsFirst: .cellsFirst
      }
  }
}

extension WBMDetector.TreeChoice {
  init(_ word: DetectorDescription.ClassTree.Choice) {
    self =
      switch word {
      case .last: .last
      case .walk: .walk
      }
  }
}

extension DetectorDescription.ClassTree.Choice {
  init(_ word: WBMDetector.TreeChoice) {
    self =
      switch word {
      case .last: .last
      case .walk: .walk
      }
  }
}

extension WBMDetector.BoxPoint {
  /// `nil` for the center.
  init?(_ word: DetectorDescription.BoxPoint) {
    switch word {
    case .center: return nil
    case .leftTop: self = .leftTop
    case .rightBottom: self = .rightBottom
    }
  }
}

extension DetectorDescription.BoxPoint {
  init(_ word: WBMDetector.BoxPoint?) {
    self =
      switch word {
      case nil: .center
      case .leftTop: .leftTop
      case .rightBottom: .rightBottom
      }
  }
}
