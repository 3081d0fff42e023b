import GraphIR
import Weighbridge

/// The four cards at the top of the page.
extension ModelPage {
  /// The most inputs and outputs that are listed at first sight.
  private static let portLimit = 6

  func cards(level: Int) -> HTML {
    let verdict = facts.verdict
    let trustCard: HTML = """
      <p class="verdict \(verdict.level.rawValue)">\(verdict.title)</p>\
      <p>\(reworded(verdict.explanation, limit: 300))</p>\
      <p><a href="#verification">What was checked</a></p>
      """
    return """
      <div class="cards">\(card("Takes", inputsCard, level))\(card("Gives", outputsCard, level))\
      \(card("Comes from", originCard, level))\(card("Can it be trusted?", trustCard, level))</div>

      """
  }

  private func card(_ title: String, _ content: HTML, _ level: Int) -> HTML {
    "<div class=\"card\">\(heading(level, HTML(escaping: title)))\(content)</div>\n"
  }

  private var inputsCard: HTML {
    guard !inspection.inputs.isEmpty else { return "<p>The file does not say.</p>" }
    let items = inspection.inputs.prefix(Self.portLimit).map { port in
      let feature = metadata.inputs.first { $0.name == port.name }
      return item(port, feature, feature?.image?.description(port.type))
    }
    return "<ul>\(items)\(others(inspection.inputs.count))</ul>"
  }

  private var outputsCard: HTML {
    guard !inspection.outputs.isEmpty else { return "<p>The file does not say.</p>" }
    let items = inspection.outputs.prefix(Self.portLimit).map { port in
      item(port, metadata.outputs.first { $0.name == port.name }, nil)
    }
    var meaning: HTML = ""
    if let detector = metadata.detector {
      meaning += "<p>Finds objects of \(Self.counted(detector.classCount, "class", "classes")).</p>"
    }
    if !metadata.labels.isEmpty {
      let shown = metadata.labels.prefix(8).joined(separator: ", ")
      let ellipsis = metadata.labels.count > 8 ? ", \u{2026}" : ""
      let labels = HTML(escaping: shown, limit: 300)
      meaning += "<p>\(metadata.labels.count.grouped) labels: \(labels)\(ellipsis)</p>"
    }
    return "<ul>\(items)\(others(inspection.outputs.count))</ul>\(meaning)"
  }

  private func others(_ count: Int) -> HTML {
    count > Self.portLimit ? "<li>and \(count - Self.portLimit) more</li>" : ""
  }

  private func item(
    _ port: ModelPort, _ feature: ModelDescription.Feature?, _ image: String?
  ) -> HTML {
    let lines = [feature?.summary, image].compactMap { $0 }.map { line -> HTML in
      "<br />\(HTML(escaping: line, limit: 300))"
    }
    return """
      <li><strong>\(HTML(escaping: port.name, limit: 120))</strong> \
      <span class="code">\(HTML(escaping: "\(port.type)", limit: 120))</span>\(lines)</li>
      """
  }

  private var originCard: HTML {
    let provenance = inspection.provenance
    var lines: [HTML] = []
    if !provenance.framework.isEmpty {
      let version = provenance.frameworkVersion ?? "(version unknown)"
      let backend = provenance.backend.map { " on \($0)" } ?? ""
      lines.append(HTML(escaping: "\(provenance.framework) \(version)\(backend)", limit: 200))
    }
    lines += provenance.sources.prefix(3).map {
      HTML(escaping: "\($0.role) \($0.fileName)", limit: 200)
    }
    lines.append(
      metadata.author.map { HTML(escaping: "by \($0)", limit: 200) } ?? "The author is not named.")
    lines.append(
      metadata.license.map { HTML(escaping: "license \($0.text)", limit: 200) }
        ?? "No license is named.")
    return "\(lines.map { line -> HTML in "<p>\(line)</p>" })<p><a href=\"#origin\">More</a></p>"
  }
}

extension ImageInput {
  /// Describes the image: `A picture of 88 × 88 pixels, in color (rgb)`.
  fileprivate func description(_ type: TensorType) -> String {
    var size = "any size"
    if let axes = layout.imageAxes(rank: type.rank), let height = type.shape[axes.height].value,
      let width = type.shape[axes.width].value
    {
      size = "\(width) \u{00D7} \(height) pixels"
    }
    return
      "A picture of \(size), \(colorOrder == .gray ? "gray" : "in color (\(colorOrder.rawValue))")"
  }
}
