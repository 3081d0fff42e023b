import HTTPTypes

/// What a pen drew without being lifted, in points of the page from the upper left corner of its canvas.
package struct Stroke: Equatable, Sendable {
  /// A position.
  package struct Point: Equatable, Sendable {
    package var x, y: Double

    /// Makes a point.
    package init(x: Double, y: Double) { (self.x, self.y) = (x, y) }
  }

  /// Where the pen was, in order; at least one point.
  package var points: [Point]

  /// Makes a stroke.
  package init(points: [Point]) { self.points = points }
}

/// What was drawn with a pen of 10 points.
package struct Sketch: Equatable, Sendable {
  /// The pen's radius in points, and the margin around the strokes: so all ink is inside.
  package static let margin = 5.0
  /// Positions are 0 to this many points.
  package static let largestPosition = 2000.0
  /// The most points of all strokes together.
  package static let pointLimit = 10_000

  /// The strokes, in order.
  package let strokes: [Stroke]

  /// Checks strokes.
  ///
  /// - Parameter strokes: For each stroke x and y in turn.
  /// - Throws: ``StudioError`` with the status 400 when there are no points, too many, or a position is
  ///   none on a canvas.
  package init(_ strokes: [[Double]]) throws {
    guard strokes.contains(where: { !$0.isEmpty }) else {
      throw StudioError(.badRequest, "Nothing is drawn.")
    }
    guard strokes.reduce(0, { $0 + $1.count / 2 }) <= Self.pointLimit else {
      throw StudioError(.contentTooLarge, "The drawing has more than \(Self.pointLimit) points.")
    }
    guard
      strokes.allSatisfy({ $0.count.isMultiple(of: 2) }),
      strokes.joined().allSatisfy({ 0...Self.largestPosition ~= $0 })
    else { throw StudioError(.badRequest, "A stroke leaves the canvas.") }
    self.strokes = strokes.filter { !$0.isEmpty }.map { numbers in
      Stroke(
        points: stride(from: 0, to: numbers.count, by: 2).map {
          .init(x: numbers[$0], y: numbers[$0 + 1])
        })
    }
  }
}
