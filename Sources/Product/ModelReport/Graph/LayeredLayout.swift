/// Arranges boxes in rows so that every arrow points down: the layered layout of Sugiyama, Tagawa
/// and Toda.
///
/// Boxes are numbered in a computation order. An arrow from a later box to an earlier one is laid
/// out as if it were reversed, so that there are no cycles. Equal inputs give equal drawings:
/// nothing here depends on the order of a hash table.
struct LayeredLayout {
  struct Arrow: Hashable {
    let from, to: Int
  }

  struct Point: Hashable {
    var x, y: Double
  }

  static let rowHeight = 40.0
  private static let rowGap = 26.0
  private static let columnGap = 16.0
  /// The width that a long arrow takes among the boxes of a row.
  private static let laneWidth = 10.0
  /// The number of lane positions beyond which long arrows are drawn straight.
  private static let laneLimit = 4_000

  /// The center of each box.
  private(set) var centers: [Point] = []
  /// The points that each arrow passes through, from box to box, in the order of the arrows.
  private(set) var routes: [[Point]] = []
  private(set) var width = 0.0
  private(set) var height = 0.0

  /// - Parameters:
  ///   - widths: The width of each box.
  ///   - arrows: The arrows between boxes; one from a box to itself is not drawn.
  init(widths: [Double], arrows: [Arrow]) {
    let rows = Self.rows(count: widths.count, arrows)
    var layout = RowLayout(rows: rows, widths: widths, gap: Self.columnGap)
    let span = arrows.reduce(0) { $0 + max(0, abs(rows[$1.from] - rows[$1.to]) - 1) }
    let lanes = arrows.map { arrow -> [Int] in
      let (from, to) = (rows[arrow.from], rows[arrow.to])
      guard arrow.from != arrow.to, span <= Self.laneLimit else {
        return arrow.from == arrow.to ? [] : [arrow.from, arrow.to]
      }
      let between = Array(from < to ? from..<to : to..<from).dropFirst()
      let laneElements = between.map { layout.add(row: $0, width: Self.laneWidth) }
      return [arrow.from] + (from < to ? laneElements : laneElements.reversed()) + [arrow.to]
    }
    for lane in lanes {
      for (first, second) in zip(lane, lane.dropFirst()) { layout.connect(first, second) }
    }
    layout.layOut()
    assignPoints(layout, lanes, rows)
  }

  /// Returns the row of each box: below all boxes that it depends on or, if it depends on none,
  /// just above the first one that depends on it.
  private static func rows(count: Int, _ arrows: [Arrow]) -> [Int] {
    var rows = [Int](repeating: 0, count: count)
    var (next, hasPredecessor) = (
      [[Int]](repeating: [], count: count), [Bool](repeating: false, count: count)
    )
    for arrow in arrows where arrow.from != arrow.to {
      next[min(arrow.from, arrow.to)].append(max(arrow.from, arrow.to))
      hasPredecessor[max(arrow.from, arrow.to)] = true
    }
    for box in 0..<count {
      for other in next[box] { rows[other] = max(rows[other], rows[box] + 1) }
    }
    for box in 0..<count where !hasPredecessor[box] {
      if let first = next[box].map({ rows[$0] }).min() { rows[box] = first - 1 }
    }
    return rows
  }

  private mutating func assignPoints(_ layout: RowLayout, _ lanes: [[Int]], _ rows: [Int]) {
    func point(_ element: Int) -> Point {
      Point(
        x: layout.x[element],
        y: Self.rowHeight / 2 + Double(layout.rowOf[element]) * (Self.rowHeight + Self.rowGap) + 1)
    }
    centers = rows.indices.map(point)
    routes = lanes.map { lane in
      guard let first = lane.first, let last = lane.last, lane.count > 1 else { return [] }
      let half = (rows[first] < rows[last] ? 1 : -1) * Self.rowHeight / 2
      // The route is vertical next to the boxes of each row that it passes, from edge to edge.
      return lane.flatMap { element -> [Point] in
        let center = point(element)
        let (upper, lower) = (
          Point(x: center.x, y: center.y - half), Point(x: center.x, y: center.y + half)
        )
        return element == first ? [lower] : element == last ? [upper] : [upper, lower]
      }
    }
    width = layout.width
    height =
      Double((rows.max() ?? -1) + 1) * (Self.rowHeight + Self.rowGap) - Self.rowGap + 2
  }
}
