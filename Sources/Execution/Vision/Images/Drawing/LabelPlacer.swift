/// Finds positions for labels that do not cover each other.
struct LabelPlacer {
  private let image: PixelSize
  private var taken: [PixelRectangle] = []

  /// Starts with an image without labels.
  init(image: PixelSize) { self.image = image }

  /// Reserves a position for the label of a frame: the first candidate that is free, else the one
  /// that covers the least of other labels.
  mutating func place(_ label: PixelSize, beside frame: PixelRectangle) -> PixelRectangle {
    var best: (place: PixelRectangle, covered: Int)?
    for place in places(label, frame) {
      let covered = taken.reduce(0) { $0 + $1.clipped(to: place).area }
      if covered < best?.covered ?? .max { best = (place, covered) }
      if covered == 0 { break }
    }
    let place = best?.place ?? frame
    taken.append(place)
    return place
  }

  /// Returns the candidate positions in order of preference: above the frame, then from its upper
  /// edge down inside it, below it, and further up; each at the frame's left and right ends.
  private func places(_ label: PixelSize, _ frame: PixelRectangle) -> [PixelRectangle] {
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
