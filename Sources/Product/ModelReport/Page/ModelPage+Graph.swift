import Bytes
import GraphIR
import Weighbridge

/// The drawing, and the table of layers.
extension ModelPage {
  /// The most layers that are listed; inspecting the file lists them all.
  private static let layerLimit = 10_000

  var graph: HTML {
    let steps =
      facts.source.model.map { StepGraph($0.content.graph) } ?? StepGraph(inspection.layers)
    guard steps.steps.contains(where: { $0.kind == .operation }) else {
      return missing(
        "There are weights alone and no layers to draw. \(APIName.architecture) names the file that "
          + "has them.")
    }
    let drawing = GraphDrawing(steps, prefix: prefix)
    let limit: HTML =
      drawing.omittedBlockCount == 0
      ? ""
      : """
      <p class="missing">The drawing is simplified: there would be more than \
      \(GraphDrawing.boxLimit.grouped) boxes, so \(drawing.omittedBlockCount.grouped) blocks do \
      not open. \
      Their layers are in the table.</p>

      """
    let legend = [
      ("weighty", "layer with weights"), ("plain", "layer without"), ("port", "input or output"),
      ("folded", "block of layers, which opens"),
    ]
    .map { style, label -> HTML in
      """
      <li class="\(style)"><svg width="26" height="14" aria-hidden="true"><rect x="1" y="1" width="24" \
      height="12" rx="4" /></svg> \(label)</li>
      """
    }
    return """
      <p>Data flows from top to bottom. A layer leads to its row in the table of layers. Nested models, and \
      neighbors where there are more than \(GraphOutline.boxLimit) boxes, are folded into blocks, which are \
      drawn below.</p>
      <ul class="legend">\(legend)</ul>
      \(limit)\(drawing.html)
      """
  }

  var layers: HTML {
    guard !inspection.layers.isEmpty else { return looseWeights }
    let isWhole = inspection.problem == nil
    var columns: [PageTable.Column] = [
      .number("#"), .code("Layer"), .text("Class"), .text("Operator"), .code("Output"),
      .number("Parameters"),
    ]
    let hasProblems = inspection.layers.contains { $0.problem != nil }
    if hasProblems { columns.append(.text("Problem")) }
    var table = PageTable(
      "The \(isWhole ? "steps" : "source's layers") in the order of the computation.", columns,
      heading: 1, isSearchable: inspection.layers.count > 10)
    for layer in inspection.layers.prefix(Self.layerLimit) {
      let types = layer.outputs.prefix(8).map { "\($0.shape)" }.joined(separator: " ")
      table.append(
        id: "\(prefix)l\(layer.index)",
        [
          "\(layer.index)", HTML(escaping: layer.name, limit: 200),
          HTML(escaping: layer.className, limit: 100),
          HTML(escaping: layer.kind, limit: 100), HTML(escaping: types, limit: 200),
          HTML(escaping: layer.parameterCount.grouped),
        ] + (hasProblems ? [reworded(layer.problem ?? "", limit: 400)] : []))
    }
    let rest = inspection.layers.count - Self.layerLimit
    let more: HTML =
      rest > 0 ? "<p class=\"missing\">\(rest.grouped) more layers are not listed.</p>" : ""
    let cost = inspection.cost.map { cost -> HTML in
      """
      <p>\(cost.operationCount.grouped) floating-point operations and at most \
      \(cost.activationByteCount.grouped) bytes of activations for one input.</p>

      """
    }
    return (cost ?? "") + table.html + more
  }

  private var looseWeights: HTML {
    guard !inspection.looseWeights.isEmpty else { return missing("The file has no layers.") }
    var table = PageTable(
      "The file holds weights alone.", [.code("Weight"), .code("Type")], isSearchable: true)
    for weight in inspection.looseWeights.prefix(Self.layerLimit) {
      table.append([
        HTML(escaping: weight.name, limit: 200), HTML(escaping: "\(weight.type)", limit: 200),
      ])
    }
    return table.html
  }
}
