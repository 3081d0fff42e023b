/// A box of a drawing: a layer, an input, an output, or a block of layers.
struct GraphBox {
  let width: Double
  private let name: String
  private let title: String
  private let subtitle: String
  private let style: String
  /// The row in the table of layers.
  private let row: String?

  private static let characterLimit = 26

  init(_ item: GraphOutline.Item, _ graph: StepGraph, prefix: String) {
    switch item {
    case .step(let index):
      let step = graph.steps[index]
      (name, title, subtitle) = (step.name, step.title, step.subtitle)
      style =
        switch step.kind {
        case .input, .output: "port"
        case .operation: step.hasWeights ? "weighty" : "plain"
        }
      row = step.layer.map { "\(prefix)l\($0)" }
    case .block(let block):
      (name, title) = (block.name, block.name)
      subtitle = ModelPage.counted(block.layerCount, "layer")
      (style, row) = ("folded", nil)
    }
    let characterCount = max(Self.clipped(title).count, Self.clipped(subtitle).count)
    width = min(210, max(84, Double(characterCount) * 7 + 20))
  }

  /// - Parameter block: The id of the drawing of its contents.
  func svg(at center: LayeredLayout.Point, opening block: String?) -> HTML {
    let (left, top) = (center.x - width / 2, center.y - LayeredLayout.rowHeight / 2)
    let shape: HTML = """
      <title>\(HTML(escaping: name, limit: 200)): \(HTML(escaping: subtitle, limit: 200))</title>\
      <rect x="\(left)" y="\(top)" width="\(width)" height="\(LayeredLayout.rowHeight)" />\
      <text x="\(center.x)" y="\(center.y - 4)">\(Self.clipped(title))</text>\
      <text x="\(center.x)" y="\(center.y + 11)">\(Self.clipped(subtitle))</text>
      """
    // Layers can be reached by keyboard in the table; blocks only here.
    let link: HTML =
      if let block {
        "<a href=\"#\(block)\">\(shape)</a>"
      } else if let row {
        "<a href=\"#\(row)\" tabindex=\"-1\">\(shape)</a>"
      } else {
        shape
      }
    return "<g class=\"\(style)\">\(link)</g>\n"
  }

  /// Returns a text, reduced to its beginning and end if it is too long for a box.
  private static func clipped(_ text: String) -> String {
    guard text.count > characterLimit else { return text }
    return "\(text.prefix(characterLimit / 2))\u{2026}\(text.suffix(characterLimit / 2 - 1))"
  }
}
