/// How much of each pixel a figure covers, 0...1; the centre of the first pixel is (0.5, 0.5).
struct Mask {
  let size: Int
  private(set) var values: [Double]

  /// The points at a negative distance, with an edge one pixel wide.
  private init(size: Int, distance: (Point) -> Double) {
    self.size = size
    values = (0..<size * size).map { index in
      let point = Point(x: Double(index % size) + 0.5, y: Double(index / size) + 0.5)
      return min(max(0.5 - distance(point), 0), 1)
    }
  }

  /// A filled convex polygon whose corners turn from the x axis towards the y axis.
  init(size: Int, polygon corners: [Point]) {
    let sides = zip(corners, corners.dropFirst() + corners.prefix(1)).map { start, end in
      (start: start, along: (end - start) * (1 / (end - start).length))
    }
    self.init(size: size) { point in
      sides.map { side in
        side.along.y * (point.x - side.start.x) - side.along.x * (point.y - side.start.y)
      }.max() ?? .infinity
    }
  }

  /// A line through points, with round ends and corners.
  init(size: Int, line points: [Point], width: Double) {
    let parts = zip(points, points.dropFirst()).map { (start: $0, step: $1 - $0) }
    self.init(size: size) { point in
      let distance =
        parts.map { part in
          let square = max(part.step.x * part.step.x + part.step.y * part.step.y, 1e-9)
          let offset = point - part.start
          let position = min(
            max((offset.x * part.step.x + offset.y * part.step.y) / square, 0), 1)
          return (offset - part.step * position).length
        }.min() ?? .infinity
      return distance - width / 2
    }
  }

  /// The greater coverage of both.
  func union(_ other: Mask) -> Mask {
    var result = self
    for index in values.indices { result.values[index] = max(values[index], other.values[index]) }
    return result
  }
}
