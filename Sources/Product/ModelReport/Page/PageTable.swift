import Verifier

/// A table on a page.
struct PageTable {
  /// A column's title and the kind of its cells.
  struct Column {
    enum Kind { case text, code, number }

    let title: String
    let kind: Kind

    static func text(_ title: String) -> Column { Column(title: title, kind: .text) }
    static func code(_ title: String) -> Column { Column(title: title, kind: .code) }
    static func number(_ title: String) -> Column { Column(title: title, kind: .number) }
  }

  /// The most columns that ``PageStyle`` supports.
  static let columnLimit = 10

  private let caption: HTML
  private let columns: [Column]
  /// The index of the column that names the row.
  private let heading: Int
  /// The table's classes, which state the kind of each column once for all rows: `code-2 number-6`.
  private let style: String
  private var rows: [HTML] = []

  /// - Parameters:
  ///   - heading: The index of the column that names a row.
  ///   - isSearchable: Whether there are enough rows to need a search field.
  init(_ caption: HTML, _ columns: [Column], heading: Int = 0, isSearchable: Bool = false) {
    precondition(columns.count <= Self.columnLimit)
    self.caption = caption
    self.columns = columns
    self.heading = heading
    let kinds = columns.enumerated().compactMap { index, column -> String? in
      column.kind == .text ? nil : "\(column.kind)-\(index + 1)"
    }
    style = ((isSearchable ? ["sortable", "searchable"] : ["sortable"]) + kinds)
      .joined(separator: " ")
  }

  var isEmpty: Bool { rows.isEmpty }

  /// - Parameters:
  ///   - id: The row's id.
  ///   - cells: One for each column.
  mutating func append(id: String? = nil, _ cells: [HTML]) {
    let cells = cells.enumerated().map { index, cell -> HTML in
      index == heading ? "<th scope=\"row\">\(cell)</th>" : "<td>\(cell)</td>"
    }
    let name: HTML = if let id { " id=\"\(id)\"" } else { "" }
    rows.append("<tr\(name)>\(cells)</tr>\n")
  }

  var html: HTML {
    let head = columns.map { column -> HTML in
      "<th scope=\"col\">\(column.title)</th>"
    }
    return """
      <div class="wide"><table class="\(style)"><caption>\(caption)</caption>
      <thead><tr>\(head)</tr></thead>
      <tbody>
      \(rows)</tbody></table></div>

      """
  }
}

/// A bar that shows a fraction of a whole.
struct Bar {
  let html: HTML

  /// - Parameter part: The fraction, 0...1.
  init(_ part: Double) {
    html = """
      <svg width="100" height="10" aria-hidden="true"><rect class="track" width="100" height="10" />\
      <rect class="bars" width="\(max(0, min(100, part * 100)))" height="10" /></svg>
      """
  }
}

extension Double {
  /// Four significant digits, or three for very large and very small numbers: `0.01234`, `1234`,
  /// `1.23e+20`.
  var fourDigits: String {
    guard isFinite, self != 0 else { return self == 0 ? "0" : "\(self)" }
    guard 1e-4..<1e7 ~= abs(self) else { return scientific }
    var (scale, whole) = (1.0, abs(self))
    while whole < 1000 { (scale, whole) = (scale * 10, whole * 10) }
    return "\(((self * scale).rounded() / scale))".withoutEmptyFraction
  }
}

extension String {
  fileprivate var withoutEmptyFraction: String { hasSuffix(".0") ? String(dropLast(2)) : self }
}
