/// Finds positions for labels so that they do not overlap.
struct LabelPlacer {
  private let image: PixelSize
  private var occupied: [PixelRectangle] = []

  /// Starts with an image without labels.
  init(image: PixelSize) { self.image = image }

  /// Reserves a position for the label of a frame: the first free candidate, or the one that
  /// overlaps other labels least.
  mutating func place(_ label: PixelSize, beside frame: PixelRectangle) -> PixelRectangle {
    var best: (rectangle: PixelRectangle, overlap: Int)?
    for candidate in candidates(label, frame) {
      let overlap = occupied.reduce(0) { $0 + $1.clipped(to: candidate).area }
      if overlap < best?.overlap ?? .max { best = (candidate, overlap) }
      if overlap == 0 { break }
    }
    let rectangle = best?.rectangle ?? frame
    occupied.append(rectangle)
    return rectangle
  }

  /// Returns the candidate positions in order of preference: above the frame, inside it from the
  /// top down, below it, and further above; each at the frame's left and right edges.
  private func candidates(_ label: PixelSize, _ frame: PixelRectangle) -> [PixelRectangle] {
    let (top, bottom) = (frame.rows.lowerBound, frame.rows.upperBound)
    let inside = stride(from: max(top, 0), through: bottom - label.height, by: label.height)
    let above = stride(from: top - 2 * label.height, through: 0, by: -label.height)
    let below = stride(from: bottom, through: image.height - label.height, by: label.height)
    let tops = [top - label.height].filter { $0 >= 0 } + inside + below + above
    let lefts = [frame.columns.lowerBound, frame.columns.upperBound - label.width]
    let last = PixelSize(
      width: max(0, image.width - label.width), height: max(0, image.height - label.height))
    return (tops + [top]).flatMap { top in
      lefts.map { left in
        let x = min(max(left, 0), last.width)
        let y = min(max(top, 0), last.height)
        return PixelRectangle(columns: x..<x + label.width, rows: y..<y + label.height)
      }
    }
  }
}
