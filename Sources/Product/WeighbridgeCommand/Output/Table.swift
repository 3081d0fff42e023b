/// A text table: columns as wide as their widest cell, separated by two spaces.
struct Table {
  private var rows: [[String]]
  private let rightAligned: Set<Int>

  /// - Parameters:
  ///   - header: The names of the columns.
  ///   - rightAligned: The indices of columns with numbers.
  init(_ header: [String], rightAligned: Set<Int> = []) {
    rows = [header]
    self.rightAligned = rightAligned
  }

  mutating func append(_ row: [String]) { rows.append(row) }

  var text: String {
    let columns = rows[0].count
    let widths = (0..<columns).map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      var line = row.enumerated().map { column, cell in
        let padding = String(repeating: " ", count: widths[column] - cell.count)
        return rightAligned.contains(column) ? padding + cell : cell + padding
      }.joined(separator: "  ")
      while line.last == " " { line.removeLast() }
      return line
    }.joined(separator: "\n")
  }
}
