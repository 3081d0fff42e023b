/// The positions of elements in rows: of boxes, and of lanes, in which long arrows pass between
/// boxes.
struct RowLayout {
  /// The row of each element.
  private(set) var rowOf: [Int]
  /// The horizontal center of each element.
  private(set) var x: [Double] = []
  /// The width of the widest row.
  private(set) var width = 0.0
  private var widths: [Double]
  private let gap: Double
  /// The elements of each row, from left to right.
  private var rows: [[Int]]
  /// For each element, its neighbors in the row above and in the row below.
  private var above: [[Int]]
  private var below: [[Int]]

  init(rows rowOf: [Int], widths: [Double], gap: Double) {
    self.rowOf = rowOf
    self.widths = widths
    self.gap = gap
    rows = [[Int]](repeating: [], count: (rowOf.max() ?? -1) + 1)
    for (element, row) in rowOf.enumerated() { rows[row].append(element) }
    above = [[Int]](repeating: [], count: rowOf.count)
    below = above
  }

  /// Adds an element at the end of a row.
  mutating func add(row: Int, width: Double) -> Int {
    rows[row].append(rowOf.count)
    rowOf.append(row)
    widths.append(width)
    above.append([])
    below.append([])
    return rowOf.count - 1
  }

  /// Makes two elements of different rows neighbors.
  mutating func connect(_ first: Int, _ second: Int) {
    let (upper, lower) = rowOf[first] < rowOf[second] ? (first, second) : (second, first)
    guard rowOf[upper] != rowOf[lower] else { return }
    below[upper].append(lower)
    above[lower].append(upper)
  }

  /// Determines the order in each row, so that few arrows cross, and then the positions.
  mutating func layOut() {
    for sweep in 0..<8 { order(downwards: sweep.isMultiple(of: 2)) }
    x = [Double](repeating: 0, count: rowOf.count)
    for row in rows.indices { position(row, near: rows[row].map { _ in 0 }) }
    for sweep in 0..<12 { straighten(downwards: sweep.isMultiple(of: 2)) }
    let left = rowOf.indices.map { x[$0] - widths[$0] / 2 }.min() ?? 0
    for element in x.indices { x[element] += 1 - left }
    width = (rowOf.indices.map { x[$0] + widths[$0] / 2 }.max() ?? 0) + 1
  }

  /// Sorts each row by the mean position of the neighbors in the preceding row.
  private mutating func order(downwards: Bool) {
    var positions = [Double](repeating: 0, count: rowOf.count)
    let neighbors = downwards ? above : below
    for row in sequence(downwards: downwards) {
      let elements = rows[row]
      let count = Double(elements.count)
      let keys = elements.enumerated().map { index, element in
        Self.mean(of: positions, at: neighbors[element]) ?? Double(index) / count
      }
      rows[row] = elements.indices.sorted { (keys[$0], $0) < (keys[$1], $1) }.map { elements[$0] }
      // Rows of different lengths are compared by fractions of their length.
      for (index, element) in rows[row].enumerated() {
        positions[element] = (Double(index) + 0.5) / count
      }
    }
  }

  /// Moves the elements of each row towards their neighbors.
  private mutating func straighten(downwards: Bool) {
    let (near, far) = downwards ? (above, below) : (below, above)
    for row in sequence(downwards: downwards) {
      let targets = rows[row].map { element in
        Self.mean(of: x, at: near[element]) ?? Self.mean(of: x, at: far[element]) ?? x[element]
      }
      position(row, near: targets)
    }
  }

  /// Returns the rows from the first to the last, or from the last to the first.
  private func sequence(downwards: Bool) -> [Int] {
    downwards ? Array(rows.indices) : rows.indices.reversed()
  }

  /// Returns the mean of the values of some elements; `nil` where there are none.
  private static func mean(of values: [Double], at elements: [Int]) -> Double? {
    elements.isEmpty ? nil : elements.reduce(0) { $0 + values[$1] } / Double(elements.count)
  }

  /// Moves a row's elements as close to the target positions as their order and widths allow, in
  /// the least-squares sense: neighbors that would overlap are pooled (pool adjacent violators).
  private mutating func position(_ row: Int, near targets: [Double]) {
    let elements = rows[row]
    var starts = [0.0]
    for (element, next) in zip(elements, elements.dropFirst()) {
      starts.append((starts.last ?? 0) + (widths[element] + widths[next]) / 2 + gap)
    }
    var pools: [(sum: Double, count: Int)] = []
    for (index, target) in targets.enumerated() {
      var pool = (sum: target - starts[index], count: 1)
      while let last = pools.last, last.sum / Double(last.count) > pool.sum / Double(pool.count) {
        pool = (pool.sum + last.sum, pool.count + last.count)
        pools.removeLast()
      }
      pools.append(pool)
    }
    var index = 0
    for pool in pools {
      for _ in 0..<pool.count {
        x[elements[index]] = starts[index] + pool.sum / Double(pool.count)
        index += 1
      }
    }
  }
}
