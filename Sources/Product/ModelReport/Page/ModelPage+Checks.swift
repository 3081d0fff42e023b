import Bytes
import Verifier
import Weighbridge

/// The results of verifying and running.
extension ModelPage {
  /// The most results, and the most layers, that are listed.
  private static let resultLimit = 5_000
  /// The most layers of a profile that are listed.
  private static let profileLimit = 100

  var verification: HTML {
    let verdict = facts.verdict
    let header: HTML = """
      <p class="verdict \(verdict.level.rawValue)">\(verdict.title)</p>
      <p>\(reworded(verdict.explanation))</p>

      """
    switch facts.verification {
    case .missing(let reason): return header + missing(reason)
    case .available(let report):
      return header + checks(report) + missingEvidence(report) + layers(report)
    }
  }

  private func checks(_ report: VerificationReport) -> HTML {
    var table = PageTable(
      "The checks and what they found.",
      [.text("Check"), .text("Result"), .code("Layer"), .text("Reason")])
    for result in report.results.prefix(Self.resultLimit) {
      table.append([
        HTML(escaping: result.name, limit: 100), status(result.status),
        HTML(escaping: result.layer ?? "", limit: 200),
        reworded(result.reason, limit: 1000),
      ])
    }
    return table.html
  }

  private func status(_ status: CheckResult.Status) -> HTML {
    "<strong class=\"\(status.rawValue)\">\(status.rawValue)</strong>"
  }

  /// Says which evidence is missing.
  private func missingEvidence(_ report: VerificationReport) -> HTML {
    guard facts.verdict.level == .plausible,
      !report.results.contains(where: {
        $0.status == .passed && ["references", "source"].contains($0.name)
      })
    else { return "" }
    return missing(
      "There are no reference outputs. \(APIName.verifyReferences) gives inputs together with what the "
        + "original framework made of them, and \(APIName.against) names the original file.")
  }

  /// Lists the layers, with the worst element of each.
  private func layers(_ report: VerificationReport) -> HTML {
    let parts = report.results.flatMap(\.parts)
    guard !parts.isEmpty else {
      return missing(
        "There are no reference outputs of layers, so layers were not compared one by one. Arrays under "
          + "layers' names among the reference outputs (\(APIName.verifyReferences)) add them.")
    }
    var table = PageTable(
      "Layer by layer: how far each output is from its reference, and the element that is farthest off.",
      [
        .code("Layer"), .text("Result"), .number("Largest error"), .number("Relative"),
        .number("Cosine"), .code("Worst element"), .number("Got"), .number("Wanted"),
      ], isSearchable: parts.count > 10)
    for part in parts.prefix(Self.resultLimit) {
      let layer = HTML(escaping: part.layer ?? "", limit: 200)
      guard let difference = part.difference else {
        table.append(
          [layer, status(part.status), "", "", "", reworded(part.reason, limit: 300), "", ""])
        continue
      }
      table.append([
        layer, status(part.status), HTML(escaping: difference.maxAbsolute.scientific),
        HTML(escaping: difference.maxRelative.scientific),
        HTML(escaping: difference.cosine.fourDigits),
        HTML(escaping: "\(difference.worstIndex)"),
        HTML(escaping: "\(Float(difference.worstActual))"),
        HTML(escaping: "\(Float(difference.worstExpected))"),
      ])
    }
    return heading(3, "Layer by layer") + table.html
  }

  var profile: HTML {
    switch facts.profile {
    case .missing(let reason): return missing(reason)
    case .available(let profile): return table(profile)
    }
  }

  private func table(_ profile: RunProfile) -> HTML {
    var table = PageTable(
      "The slowest layers first. Layers that are computed together are one row.",
      [
        .code("Layer"), .text("Operator"), .text("Kernel"), .number("ms"), .number("Share"),
        .text("Bar"), .number("GFLOP/s"),
      ])
    let lines = profile.lines.prefix(Self.profileLimit)
    for line in lines {
      table.append([
        HTML(escaping: line.layer.name, limit: 200), HTML(escaping: line.layer.kind, limit: 100),
        HTML(escaping: "\(line.layer.kernel)", limit: 100),
        HTML(escaping: line.milliseconds.fourDigits),
        HTML(escaping: profile.share(line).percentage), Bar(profile.share(line)).html,
        HTML(escaping: line.speed?.fourDigits ?? ""),
      ])
    }
    let memory = profile.memory.map { "; \($0.byteCount.grouped) bytes of activations" } ?? ""
    let rest = profile.lines.count - lines.count
    let shown = rest > 0 ? " \(rest.grouped) faster rows are not listed." : ""
    return """
      <p>One run \(facts.profileInputs), after another one: \(profile.milliseconds.fourDigits) ms in \
      \(profile.lines.count.grouped) steps\(memory).\(shown) Times are those of the machine that made this \
      page.</p>
      \(table.html)
      """
  }

  var image: HTML {
    switch facts.image {
    case .missing(let reason): missing(reason)
    case .available(let result): shown(result)
    }
  }

  private func shown(_ result: ImageResult) -> HTML {
    let count =
      result.hasBoxes
      ? Self.counted(result.rows.count, "detection")
      : Self.counted(result.rows.count, "class", "classes")
    let found = result.rows.prefix(5).map { "\($0.label) \($0.confidence.percentage)" }
    let findings = found.isEmpty ? "nothing was found" : found.joined(separator: ", ")
    var table = PageTable(
      result.hasBoxes
        ? "What was found, the most confident first; boxes in pixels of the picture."
        : "The most probable classes.",
      [.text("Class"), .number("Confidence")]
        + (result.hasBoxes
          ? [.number("x"), .number("y"), .number("Width"), .number("Height")] : []))
    for row in result.rows.prefix(200) {
      table.append(
        [HTML(escaping: row.label, limit: 120), HTML(escaping: row.confidence.percentage)]
          + row.box.map { "\($0)" })
    }
    return """
      <figure><img src="data:image/jpeg;base64,\(HTML(trusted: result.jpeg.base64))" \
      width="\(result.shownWidth)" height="\(result.shownHeight)" \
      alt="The picture \(HTML(escaping: result.name, limit: 120)): \
      \(HTML(escaping: findings, limit: 400))" />
      <figcaption>\(HTML(escaping: result.name, limit: 200)), \(result.width) \u{00D7} \(result.height) pixels, \
      \(count)\
      </figcaption></figure>
      \(table.isEmpty ? missing("Nothing was found above the threshold.") : table.html)
      """
  }
}
