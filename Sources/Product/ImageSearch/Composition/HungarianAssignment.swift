/// Assigns rows to columns with the lowest sum of costs: the Hungarian method with potentials (Kuhn
/// 1955, Munkres 1957), with shortest augmenting paths as in Jonker and Volgenant 1987.
enum HungarianAssignment {
  /// - Parameter costs: For each row the costs of all columns; there must be at least as many
  ///   columns as rows.
  /// - Returns: The column of each row, each column at most once.
  /// - Complexity: O(rows² · columns).
  static func columns(_ costs: [[Double]]) -> [Int] {
    guard let width = costs.first?.count else { return [] }
    // Column 0 is a dummy start column; rows therefore count from 1.
    var rowPotentials = [Double](repeating: 0, count: costs.count + 1)
    var columnPotentials = [Double](repeating: 0, count: width + 1)
    var rows = [Int](repeating: 0, count: width + 1)
    for row in 1...costs.count {
      rows[0] = row
      var minimums = [Double](repeating: .infinity, count: width + 1)
      var previous = [Int](repeating: 0, count: width + 1)
      var isVisited = [Bool](repeating: false, count: width + 1)
      var column = 0
      while rows[column] != 0 {
        isVisited[column] = true
        let current = rows[column]
        var (step, next) = (Double.infinity, 0)
        for other in 1...width where !isVisited[other] {
          let reducedCost =
            costs[current - 1][other - 1] - rowPotentials[current] - columnPotentials[other]
          if reducedCost < minimums[other] {
            (minimums[other], previous[other]) = (reducedCost, column)
          }
          if minimums[other] < step { (step, next) = (minimums[other], other) }
        }
        for other in 0...width {
          if isVisited[other] {
            rowPotentials[rows[other]] += step
            columnPotentials[other] -= step
          } else {
            minimums[other] -= step
          }
        }
        column = next
      }
      while column != 0 {
        rows[column] = rows[previous[column]]
        column = previous[column]
      }
    }
    var result = [Int](repeating: 0, count: costs.count)
    for column in 1...width where rows[column] > 0 { result[rows[column] - 1] = column - 1 }
    return result
  }
}
