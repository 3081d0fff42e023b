import Hummingbird

/// The pages and what they load, all of it in the program.
enum PageFiles {
  /// A page: the name in its address, what the list of pages calls it, its content and its script.
  private struct Page {
    let name, title: String
    let content: [UInt8]
  }

  private static let pages = [
    Page(name: "model", title: "Open a model", content: PackageResources.model_html),
    Page(name: "pictures", title: "Detect and classify", content: PackageResources.pictures_html),
    Page(name: "search", title: "Search photos", content: PackageResources.search_html),
    Page(name: "sketch", title: "Sketch", content: PackageResources.sketch_html),
    Page(name: "style", title: "Style", content: PackageResources.style_html),
  ]

  private static let scripts: [(name: String, content: [UInt8])] = [
    ("studio.js", PackageResources.studio_js), ("boxes.js", PackageResources.boxes_js),
    ("model.js", PackageResources.model_js), ("pictures.js", PackageResources.pictures_js),
    ("search.js", PackageResources.search_js), ("sketch.js", PackageResources.sketch_js),
    ("style.js", PackageResources.style_js),
  ]

  /// Everything by its address; the first page also without a name.
  static var responses: [(name: String, response: @Sendable () -> Response)] {
    let files = scripts.map { file in (file.name, file.content, "text/javascript; charset=utf-8") }
    let style = [("studio.css", PackageResources.studio_css, "text/css; charset=utf-8")]
    let html = pages.map { page in
      (page.name, Array(frame(page).utf8), "text/html; charset=utf-8")
    }
    return (files + style + html).map { name, content, type in
      (name, { Response(content, type: type) })
    }
  }

  /// A page around its content.
  private static func frame(_ page: Page) -> String {
    let links = pages.map { other in
      let current = other.name == page.name ? " aria-current=\"page\"" : ""
      return "<li><a href=\"\(other.name)\"\(current)>\(other.title)</a></li>"
    }
    return """
      <!DOCTYPE html>
      <html lang="en"><head><meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>\(page.title) \u{2013} Weighbridge</title>
      <link rel="icon" href="data:,"><link rel="stylesheet" href="studio.css">
      <script type="module" src="\(page.name).js"></script></head>
      <body><a class="skip" href="#content">To the content</a>
      <header><p class="brand">Weighbridge</p>
      <nav aria-label="Pages"><ul>\(links.joined())</ul></nav></header>
      <main id="content" tabindex="-1">
      <h1>\(page.title)</h1>
      \(String(decoding: page.content, as: UTF8.self))
      </main></body></html>

      """
  }
}
