import Bytes

/// A frame with a label, to be drawn on an image.
public struct ImageAnnotation: Hashable, Sendable {
  /// The label's text. Characters outside printable ASCII are drawn as question marks; an empty
  /// label is not drawn.
  public var label: String
  /// The number that determines the color, for example the class; equal numbers have equal colors.
  public var colorIndex: Int
  /// The frame's left and upper edge, in 0...1 of the image from its upper left corner. May be
  /// outside.
  public var x, y: Double
  /// The frame's size, in 0...1 of the image.
  public var width, height: Double

  /// Creates an annotation.
  public init(
    label: String, colorIndex: Int, x: Double, y: Double, width: Double, height: Double
  ) {
    self.label = label
    self.colorIndex = colorIndex
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  /// Creates an annotation from a box.
  package init(_ box: Box, label: String, colorIndex: Int) {
    self.init(
      label: label, colorIndex: colorIndex, x: box.x, y: box.y, width: box.width,
      height: box.height)
  }

  /// Creates an annotation from a detection, with its class and its confidence.
  package init(_ detection: Detection) {
    self.init(
      detection.box, label: "\(detection.label ?? "") \(detection.confidence.percentage)",
      colorIndex: detection.classIndex)
  }
}

extension Image {
  /// Returns a copy with frames and labels drawn on it.
  ///
  /// Lines and text scale with the image. A label is above its frame where there is space,
  /// otherwise inside or below it; labels do not overlap if possible, and earlier ones take
  /// precedence. Anything outside the image is cut off, and an annotation with non-finite
  /// coordinates is not drawn.
  ///
  /// - Parameter annotations: The annotations; the later of two frames is on top.
  public func annotated(with annotations: [ImageAnnotation]) -> Image {
    var canvas = Canvas(self)
    let scale = max(1, (min(width, height) + 150) / 300)
    let frames = annotations.compactMap { annotation in
      PixelRectangle(annotation, in: size).map { (annotation, $0) }
    }
    for (annotation, frame) in frames {
      canvas.outline(
        frame, thickness: scale + 1, color: PixelColor(classIndex: annotation.colorIndex))
    }
    var placer = LabelPlacer(image: size)
    for (annotation, frame) in frames where !annotation.label.isEmpty {
      let label = TextLabel(annotation.label, scale: scale, within: width)
      let color = PixelColor(classIndex: annotation.colorIndex)
      canvas.draw(label, in: placer.place(label.size, beside: frame), on: color)
    }
    return canvas.image
  }
}

extension PixelRectangle {
  /// Creates the rectangle of pixels that an annotation's frame covers, at least one along each axis.
  /// Edges far outside the image are clamped to keep the coordinates small. `nil` for invalid
  /// coordinates.
  fileprivate init?(_ annotation: ImageAnnotation, in image: PixelSize) {
    func edges(_ start: Double, _ dimension: Double, _ count: Int) -> Range<Int>? {
      let (low, high) = (start * Double(count), (start + dimension) * Double(count))
      guard low.isFinite, high.isFinite, dimension >= 0 else { return nil }
      let bounds = Double(-count)...Double(2 * count)
      let first = Int(min(max(low, bounds.lowerBound), bounds.upperBound).rounded(.down))
      let last = Int(min(max(high, bounds.lowerBound), bounds.upperBound).rounded(.up))
      return first..<max(first + 1, last)
    }
    guard let columns = edges(annotation.x, annotation.width, image.width),
      let rows = edges(annotation.y, annotation.height, image.height)
    else { return nil }
    self.init(columns: columns, rows: rows)
  }
}
