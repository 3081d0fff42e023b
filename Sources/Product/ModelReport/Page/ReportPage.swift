import Bytes
import Digests
import Weighbridge

/// The page of a report.
struct ReportPage {
  let html: HTML

  init(_ report: Report) throws(WeighbridgeError) {
    let models = report.facts.enumerated().map { index, facts in
      ModelPage(facts, prefix: "m\(index + 1)-", wording: report.wording)
    }
    let sections = Self.sections(models, report)
    let title =
      models.count == 1
      ? models[0].name : "\(models[0].name) and \(models[models.count - 1].name)"
    html = """
      <!DOCTYPE html>
      <html lang="en"><head><meta charset="utf-8" />
      <meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; \
      style-src '\(try Self.digest(PageStyle.sheet))'; script-src '\(try Self.digest(PageScript.source))'; \
      base-uri 'none'; form-action 'none'" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>\(HTML(escaping: title, limit: 200)): model report</title>
      <style>\(HTML(trusted: PageStyle.sheet))</style></head>
      <body><a class="skip" href="#content">To the content</a>
      <svg class="defs" width="0" height="0" aria-hidden="true"><defs><marker id="arrow" \
      viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">\
      <path d="M0 0L8 4L0 8z" /></marker></defs></svg>
      <header>\(Self.header(models, report))
      <nav aria-label="Sections"><ul>\(sections.map(\.link))</ul></nav></header>
      <main id="content" tabindex="-1">
      \(sections.map(\.html))</main>
      <footer><p>Made by Weighbridge \(weighbridgeVersion). This page loads nothing and sends nothing.</p>\
      </footer>
      <script>\(HTML(trusted: PageScript.source))</script></body></html>

      """
  }

  /// Returns the hash by which a content security policy allows a style or a script.
  private static func digest(_ text: String) throws(WeighbridgeError) -> HTML {
    let digest = try sha256(of: ByteStore(Array(text.utf8)))
    return HTML(trusted: "sha256-\(digest.base64)")
  }

  /// Returns the first screen: the models' inputs, outputs, origins, and whether to trust them.
  private static func header(_ models: [ModelPage], _ report: Report) -> HTML {
    guard models.count > 1 else { return models[0].header(level: 1) + models[0].cards(level: 2) }
    let parts = models.map { model -> HTML in
      """
      <section aria-label="\(HTML(escaping: model.name, limit: 200))">\
      \(model.header(level: 2))\(model.cards(level: 3))</section>
      """
    }
    return """
      <h1>Two models: \(HTML(escaping: models[0].name, limit: 80)) and \(HTML(escaping: models[1].name, limit: 80))</h1>
      \(ComparisonSection(report, models).summary)<div class="pair">\(parts)</div>
      """
  }

  private static func sections(_ models: [ModelPage], _ report: Report) -> [PageSection] {
    func section(_ id: String, _ title: String, _ part: (ModelPage) -> HTML) -> PageSection {
      guard models.count > 1 else { return PageSection(id, title, part(models[0])) }
      let parts = models.map { model -> HTML in
        "<div><h3>\(HTML(escaping: model.name, limit: 200))</h3>\(part(model))</div>"
      }
      return PageSection(id, title, "<div class=\"pair\">\(parts)</div>")
    }
    let comparison =
      models.count > 1
      ? [PageSection("differences", "Differences", ComparisonSection(report, models).html)] : []
    return comparison + [
      section("description", "Description", \.description),
      section("ports", "Inputs and outputs", \.ports),
      section("picture", "A sample image", \.image),
      section("graph", "Graph", \.graph),
      section("layers", "Layers", \.layers),
      section("weights", "Weights", \.weights),
      section("origin", "Origin and decisions", \.origin),
      section("verification", "Verification", \.verification),
      section("profile", "Profile of a run", \.profile),
    ]
  }
}

/// A section of the page with its entry in the navigation.
struct PageSection {
  let link: HTML
  let html: HTML

  init(_ id: String, _ title: String, _ content: HTML) {
    link = "<li><a href=\"#\(id)\">\(title)</a></li>"
    html = """
      <section id="\(id)" aria-labelledby="\(id)-title"><h2 id="\(id)-title">\(title)</h2>
      \(content)</section>

      """
  }
}
