/// The SVG drawings of a graph: one of the whole, and one of each block in it, which opens
/// separately.
struct GraphDrawing {
  private struct Drawing {
    let id: String
    let items: [GraphOutline.Item]
    /// The ids of the drawings of the blocks among the items, by their positions.
    var inner: [Int: String] = [:]
  }

  /// The number of boxes beyond which blocks are not drawn separately.
  static let boxLimit = 6_000

  private let graph: StepGraph
  /// The prefix of the ids of this model's elements.
  private let prefix: String
  private var drawings: [Drawing] = []
  /// The number of blocks that are not drawn separately.
  private(set) var omittedBlockCount = 0

  init(_ graph: StepGraph, prefix: String) {
    self.graph = graph
    self.prefix = prefix
    var level = [Drawing(id: "\(prefix)g0", items: GraphOutline(graph).items)]
    var (number, boxCount) = (0, level[0].items.count)
    while !level.isEmpty {  // the larger blocks first, so that a limit leaves out the small ones
      var nextLevel: [Drawing] = []
      for var drawing in level {
        for case (let box, .block(let block)) in drawing.items.enumerated() {
          guard boxCount + block.items.count <= Self.boxLimit else {
            omittedBlockCount += 1
            continue
          }
          number += 1
          boxCount += block.items.count
          drawing.inner[box] = "\(prefix)g\(number)"
          nextLevel.append(Drawing(id: "\(prefix)g\(number)", items: block.items))
        }
        drawings.append(drawing)
      }
      level = nextLevel
    }
  }

  /// The drawing of the whole, and those of its blocks below it.
  var html: HTML {
    let positions = Dictionary(
      drawings.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
    // Blocks come after their containers, so going backwards the inner drawings are ready.
    var figures = [HTML](repeating: "", count: drawings.count)
    for (index, drawing) in drawings.enumerated().reversed() {
      let blocks = drawing.inner.sorted { $0.key < $1.key }.map { box, id -> HTML in
        guard case .block(let block) = drawing.items[box], let position = positions[id] else {
          return ""
        }
        let kind = block.isNamed ? "Nested model" : "Block"
        return """
          <details class="block"><summary>\(kind) \(HTML(escaping: block.name, limit: 120)), \
          \(ModelPage.counted(block.layerCount, "layer"))</summary>\(figures[position])</details>

          """
      }
      figures[index] = figure(drawing) + "\(blocks)"
    }
    return figures.first ?? ""
  }

  private func figure(_ drawing: Drawing) -> HTML {
    let arrows = GraphOutline.arrows(among: drawing.items, of: graph)
    let boxes = drawing.items.map { GraphBox($0, graph, prefix: prefix) }
    let layout = LayeredLayout(widths: boxes.map(\.width), arrows: arrows)
    let shapes = boxes.indices.map { index in
      boxes[index].svg(at: layout.centers[index], opening: drawing.inner[index])
    }
    return """
      <div class="drawing" id="\(drawing.id)" tabindex="0" role="group" \
      aria-label="Drawing of \(boxes.count) boxes and \(arrows.count) arrows">\
      <svg width="\(layout.width)" height="\(layout.height)" \
      viewBox="0 0 \(layout.width) \(layout.height)">\
      \(layout.routes.map(Self.path))
      \(shapes)</svg></div>

      """
  }

  /// Returns the path of an arrow that leaves and enters boxes vertically.
  private static func path(_ route: [LayeredLayout.Point]) -> HTML {
    guard let first = route.first else { return "" }
    var line: HTML = "M\(first.x) \(first.y)"
    for (point, next) in zip(route, route.dropFirst()) {
      if abs(point.x - next.x) < 0.05 {
        line += "V\(next.y)"
      } else {
        let middle = (point.y + next.y) / 2
        line += "C\(point.x) \(middle) \(next.x) \(middle) \(next.x) \(next.y)"
      }
    }
    return "<path d=\"\(line)\" />"
  }
}
