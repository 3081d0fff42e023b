import Bytes
import Verifier
import Weighbridge

/// How weights are stored, and how their elements are distributed.
extension ModelPage {
  var weights: HTML {
    let size: HTML = """
      <p>\(Self.counted(inspection.weightCount, "weight")) with \(inspection.parameterCount.grouped) \
      parameters, \(inspection.weightByteCount.grouped) bytes when none is encoded.</p>

      """
    switch facts.weights {
    case .missing(let reason): return size + encodings + missing(reason)
    case .available(let overview): return size + encodings + compaction + histograms(overview)
    }
  }

  private var encodings: HTML {
    guard !inspection.encodings.isEmpty else { return "" }
    let total = Double(max(1, inspection.encodings.reduce(0) { $0 + $1.byteCount }))
    var table = PageTable(
      "Sizes by encoding: how the weights are stored in the file.",
      [
        .text("Encoding"), .number("Weights"), .number("Parameters"), .number("Bytes"),
        .number("Bits each"), .number("Share"), .text("Bar"),
      ])
    for encoding in inspection.encodings {
      let part = Double(encoding.byteCount) / total
      let bits = 8 * Double(encoding.byteCount) / Double(max(1, encoding.parameterCount))
      table.append([
        HTML(escaping: encoding.name, limit: 100), HTML(escaping: encoding.weightCount.grouped),
        HTML(escaping: encoding.parameterCount.grouped), HTML(escaping: encoding.byteCount.grouped),
        HTML(escaping: bits.oneDecimal), HTML(escaping: part.percentage), Bar(part).html,
      ])
    }
    return table.html
  }

  private var compaction: HTML {
    guard let compaction = inspection.compaction else { return "" }
    let lines = compaction.lines.map { line -> HTML in
      "<p>\(HTML(escaping: String(line.drop { $0 == " " }), limit: 600))</p>\n"
    }
    return heading(3, "What making it smaller has cost") + "\(lines)"
  }

  private func histograms(_ overview: WeightOverview) -> HTML {
    guard !overview.weights.isEmpty else { return "<p>The model has no weights.</p>\n" }
    var table = PageTable(
      """
      The numbers in each weight. A histogram has \(ValueDistribution.binCount) bars of equal \
      width from the smallest to the largest number; the highest bar has the full height.
      """,
      [
        .code("Weight"), .code("Type"), .text("Stored as"), .number("Bytes"), .number("Least"),
        .number("Largest"), .number("Mean"), .number("Deviation"), .number("Zeros"),
        .text("Histogram"),
      ], isSearchable: overview.weights.count > 10)
    for weight in overview.weights {
      let distribution = weight.distribution
      let loss = weight.error.map { ", error \($0.scientific)" } ?? ""
      let sample = distribution.isSample ? ", of a sample" : ""
      let nonFinite =
        distribution.nonFiniteCount > 0
        ? ", \(distribution.nonFiniteCount.grouped) not finite" : ""
      table.append([
        HTML(escaping: weight.name, limit: 200), HTML(escaping: weight.type, limit: 120),
        HTML(escaping: "\(weight.encoding)\(loss)\(sample)\(nonFinite)", limit: 200),
        HTML(escaping: weight.byteCount.grouped), HTML(escaping: distribution.minimum.fourDigits),
        HTML(escaping: distribution.maximum.fourDigits),
        HTML(escaping: distribution.mean.fourDigits),
        HTML(escaping: distribution.standardDeviation.fourDigits),
        HTML(escaping: distribution.zeroFraction.percentage), histogram(distribution),
      ])
    }
    let rest: HTML =
      overview.otherCount == 0
      ? ""
      : "<p>\(overview.otherCount.grouped) smaller weights are not looked at one by one.</p>\n"
    return table.html + rest
  }

  private func histogram(_ distribution: ValueDistribution) -> HTML {
    let highest = Double(max(1, distribution.bins.max() ?? 1))
    var path: HTML = ""
    for (index, count) in distribution.bins.enumerated() where count > 0 {
      let height = max(0.7, Double(count) / highest * 28)
      path += "M\(index * 4) 28v\(-height)h3v\(height)z"
    }
    return """
      <svg width="128" height="28" role="img" \
      aria-label="Histogram from \(distribution.minimum.fourDigits) to \
      \(distribution.maximum.fourDigits)"><path class="bars" d="\(path)" /></svg>
      """
  }
}
