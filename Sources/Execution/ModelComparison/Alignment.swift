/// A longest common subsequence of two sequences.
struct Alignment {
  /// The positions of equal elements in the first and in the second sequence, both ascending.
  let pairs: [(first: Int, second: Int)]

  /// The most insertions and removals that are considered; what needs more remains unpaired.
  static let largestDistance = 500

  /// Aligns two sequences (Myers 1986, greedy). Takes O((n + m) d) for d insertions and removals.
  init(_ first: [String], _ second: [String]) {
    var start = 0
    while start < min(first.count, second.count), first[start] == second[start] { start += 1 }
    var end = 0
    while end < min(first.count, second.count) - start,
      first[first.count - 1 - end] == second[second.count - 1 - end]
    { end += 1 }
    let middle = Self.middle(
      Array(first[start..<first.count - end]), Array(second[start..<second.count - end]))
    pairs =
      (0..<start).map { ($0, $0) } + middle.map { ($0.first + start, $0.second + start) }
      + (0..<end).reversed().map { (first.count - 1 - $0, second.count - 1 - $0) }
  }

  /// Returns the pairs of two sequences without a common prefix or suffix.
  private static func middle(
    _ first: [String], _ second: [String]
  ) -> [(first: Int, second: Int)] {
    let search = Search(firstCount: first.count, secondCount: second.count)
    // For each number of edits, the farthest x on each diagonal x - y that they reach.
    var history: [[Int: Int]] = []
    var best = (x: 0, y: 0, distance: 0)
    for distance in 0...min(first.count + second.count, largestDistance) {
      let previous = history.last ?? [:]
      var reach: [Int: Int] = [:]
      for diagonal in stride(from: -distance, through: distance, by: 2) {
        guard let start = search.start(diagonal, previous, distance) else { continue }
        var (x, y) = (start.x, start.x - diagonal)
        while x < first.count, y < second.count, first[x] == second[y] { (x, y) = (x + 1, y + 1) }
        reach[diagonal] = x
        if distance == 0 || x + y > best.x + best.y { best = (x, y, distance) }
      }
      history.append(reach)
      if best.x == first.count, best.y == second.count { break }
    }
    return search.pairs(history, to: best)
  }

  /// The edit graph, whose points (x, y) stand for x consumed elements of the first sequence and y
  /// of the second.
  private struct Search {
    let firstCount: Int
    let secondCount: Int

    /// Returns the x at which a diagonal is entered and the diagonal it is entered from; `nil` if
    /// it cannot be reached.
    ///
    /// - Parameter previous: For each diagonal, the farthest x reached with one edit fewer.
    func start(
      _ diagonal: Int, _ previous: [Int: Int], _ distance: Int
    ) -> (x: Int, diagonal: Int)? {
      guard distance > 0 else { return (0, 0) }
      let removal = previous[diagonal - 1].map { (x: $0 + 1, diagonal: diagonal - 1) }
      let insertion = previous[diagonal + 1].map { (x: $0, diagonal: diagonal + 1) }
      let possible = [insertion, removal].compactMap { $0 }.filter {
        $0.x <= firstCount && $0.x - diagonal <= secondCount
      }
      return possible.max { $0.x < $1.x }
    }

    /// Traces the path back from a point and collects the equal elements on it.
    func pairs(
      _ history: [[Int: Int]], to end: (x: Int, y: Int, distance: Int)
    ) -> [(first: Int, second: Int)] {
      var (x, diagonal) = (end.x, end.x - end.y)
      var pairs: [(first: Int, second: Int)] = []
      for distance in stride(from: end.distance, through: 0, by: -1) {
        let previous = distance > 0 ? history[distance - 1] : [:]
        guard let start = start(diagonal, previous, distance) else { break }
        for equal in (start.x..<x).reversed() { pairs.append((equal, equal - diagonal)) }
        diagonal = start.diagonal
        x = previous[diagonal] ?? 0
      }
      return pairs.reversed()
    }
  }
}
