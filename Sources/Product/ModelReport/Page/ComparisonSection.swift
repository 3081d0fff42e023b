import Bytes
import ModelComparison
import Verifier

/// The section on the differences between two models.
struct ComparisonSection {
  /// The most differences that are listed.
  private static let itemLimit = 1_000

  private let report: Report
  private let models: [ModelPage]

  init(_ report: Report, _ models: [ModelPage]) {
    self.report = report
    self.models = models
  }

  /// The verdict in one line, for the first screen.
  var summary: HTML {
    guard let differences = report.differences else {
      return "<p class=\"verdict unknown\">They could not be compared.</p>"
    }
    let count = differences.items.count(where: \.counts)
    return differences.isEmpty
      ? "<p class=\"verdict proven\">The same: nothing differs that counts.</p>"
      : "<p class=\"verdict plausible\">Different: <a href=\"#differences\">\(ModelPage.counted(count, "difference"))</a>.</p>"
  }

  var html: HTML {
    guard let differences = report.differences else {
      let names = models.filter { $0.facts.source.model == nil }.map(\.name)
      return models[0].missing(
        "These files cannot be read as models, so there is nothing to compare: "
          + names.joined(separator: ", "))
    }
    let size: HTML = """
      <p>Compared \(differences.pairedOperators.grouped) operators and \
      \(differences.comparedWeights.grouped) weights with \(differences.comparedNumbers.grouped) numbers. \
      Layers are paired by structure, whatever their names.</p>

      """
    guard !differences.items.isEmpty else { return size + "<p>Nothing differs.</p>\n" }
    return size + table(differences)
  }

  private func table(_ differences: ModelDifferences) -> HTML {
    var table = PageTable(
      "What differs. A note is worth knowing and does not make the models different.",
      [
        .text("Kind"), .text("Counts"), .code("In the first"), .code("In the second"),
        .text("What"), .number("Largest error"), .number("Relative"),
      ], heading: 4, isSearchable: differences.items.count > 10)
    for item in differences.items.prefix(Self.itemLimit) {
      table.append([
        HTML(escaping: item.kind.rawValue), item.counts ? "differs" : "note",
        HTML(escaping: item.first ?? "", limit: 200), HTML(escaping: item.second ?? "", limit: 200),
        models[0].reworded(item.reason, limit: 600),
        HTML(escaping: item.difference?.maxAbsolute.scientific ?? ""),
        HTML(escaping: item.difference?.maxRelative.scientific ?? ""),
      ])
    }
    let rest = differences.items.count - Self.itemLimit
    let more: HTML = rest > 0 ? "<p>\(rest.grouped) more are not listed.</p>" : ""
    return table.html + more
  }
}
