public import Vision

extension Plot {
  /// An image of a heat map.
  public struct HeatMapEntry: Sendable {
    /// The feature vector.
    public var features: [Float]
    /// The image, shown as a thumbnail at both axes; `nil` when it cannot be read any more.
    public var image: Image?

    /// Creates an entry.
    public init(features: [Float], image: Image?) {
      self.features = features
      self.image = image
    }
  }

  /// The most images of a heat map.
  public static let heatMapEntryCount = 60

  /// Creates a heat map of the distances of all pairs, 600 x 600, with thumbnails at the axes: black
  /// for distance 0, white for the largest one. Pairs without a distance are red.
  ///
  /// - Parameters:
  ///   - entries: The images, of which the first ``heatMapEntryCount`` are shown; their vectors
  ///     must have the same length.
  ///   - distance: The distance.
  public static func heatMap(of entries: [HeatMapEntry], by distance: FeatureDistance) -> Plot {
    let entries = Array(entries.prefix(heatMapEntryCount))
    let distances = entries.map { first in
      entries.map { distance(first.features, $0.features) }
    }
    let maximum = distances.joined().compactMap { $0 }.max() ?? 0
    let side = 600 / Double(entries.count + 1)
    var graphic = Graphic(width: 600, height: 600)
    for (position, entry) in entries.enumerated() {
      let start = Double(position + 1) * side
      guard let image = entry.image else { continue }
      // This is scaled down only once, so that the SVG file contains a thumbnail.
      let (area, thumbnail) = image.thumbnail(in: .init(x: start, y: 0, width: side, height: side))
      graphic.add(.image(area, thumbnail))
      let offset = (x: area.x - start, y: area.y)
      graphic.add(
        .image(
          .init(x: offset.x, y: start + offset.y, width: area.width, height: area.height),
          thumbnail))
    }
    for (row, line) in distances.enumerated() {
      for (column, value) in line.enumerated() {
        let cell = Graphic.Area(
          x: Double(column + 1) * side, y: Double(row + 1) * side, width: side, height: side)
        draw(value, maximum, in: cell, on: &graphic)
      }
    }
    return Plot(graphic: graphic)
  }

  private static func draw(
    _ value: Double?, _ maximum: Double, in cell: Graphic.Area, on graphic: inout Graphic
  ) {
    guard let value else {
      graphic.add(.rectangle(cell, Graphic.Color(red: 200, green: 60, blue: 60)))
      return
    }
    let fraction = maximum > 0 ? value / maximum : 0
    graphic.add(.rectangle(cell, Graphic.Color(gray: UInt8((fraction * 255).rounded()))))
    let hundredths = Int((value * 100).rounded())
    let text = "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
    let width = Graphic.textWidth(text)
    guard cell.width > width + 6 else { return }
    graphic.add(
      .text(
        text, x: cell.x + (cell.width - width) / 2,
        y: cell.y + (cell.height - Graphic.textHeight) / 2,
        Graphic.Color(gray: fraction > 0.5 ? 0 : 255)))
  }
}

extension Image {
  /// Returns the largest centered area with the image's proportions inside another one, in whole
  /// points, and the image in that size.
  func thumbnail(in area: Graphic.Area) -> (area: Graphic.Area, image: Image) {
    let scale = min(area.width / Double(width), area.height / Double(height))
    let (scaledWidth, scaledHeight) = (
      max(1, (Double(width) * scale).rounded(.down)),
      max(1, (Double(height) * scale).rounded(.down))
    )
    let centered = Graphic.Area(
      x: area.x + (area.width - scaledWidth) / 2, y: area.y + (area.height - scaledHeight) / 2,
      width: scaledWidth, height: scaledHeight)
    return (centered, resized(width: Int(scaledWidth), height: Int(scaledHeight)))
  }
}
