import GraphIR
import TestSupport
import Testing

@testable import ModelReport
@testable import Weighbridge

@Suite struct GraphOutlineTests {
  /// The items of all drawings, including those of nested blocks.
  private func drawings(_ items: [GraphOutline.Item]) -> [[GraphOutline.Item]] {
    [items]
      + items.flatMap { item -> [[GraphOutline.Item]] in
        if case .block(let block) = item { drawings(block.items) } else { [] }
      }
  }

  private func steps(_ drawings: [[GraphOutline.Item]]) -> [Int] {
    drawings.flatMap { items in
      items.compactMap { item in if case .step(let step) = item { step } else { nil } }
    }
  }

  private func chain(_ names: [String]) -> StepGraph {
    StepGraph(
      names.enumerated().map { index, name in
        var layer = Inspection.Layer.dense(index: index, name: name)
        layer.inputs = index > 0 ? [names[index - 1]] : []
        return layer
      })
  }

  @Test(
    "However many layers there are, each drawing is small and each layer is in one of them",
    arguments: [1, 48, 49, 60, 500, 2_304, 2_305, 3_000, 20_000])
  func folding(count: Int) {
    let graph = chain((0..<count).map { "layer\($0)" })
    let drawings = drawings(GraphOutline(graph).items)
    #expect(drawings.allSatisfy { 1...GraphOutline.boxLimit ~= $0.count })
    #expect(steps(drawings).sorted() == Array(0..<count))
    #expect(count > 48 || drawings.count == 1)
  }

  @Test("Nested models are blocks with their names, and the outermost model is not a block")
  func nesting() {
    let names = ["net/a", "net/inner/b", "net/inner/c", "net/inner/deep/d", "net/e"]
    let items = GraphOutline(chain(names)).items
    #expect(items.count == 3)
    guard case .block(let block) = items[1] else {
      Issue.record("the inner model is no block")
      return
    }
    #expect(block.name == "inner" && block.isNamed && block.layerCount == 3)
    #expect(block.items.count == 3, "a model of one layer is that layer")
  }

  @Test("Names of any depth are understood")
  func deep() {
    let name = String(repeating: "a/", count: 50_000)
    let drawings = drawings(GraphOutline(chain([name + "x", name + "y", "b/z", "///", ""])).items)
    #expect(steps(drawings).sorted() == [0, 1, 2, 3, 4])
    #expect(drawings.count < 12)
  }

  @Test("Block boundaries are where few values cross")
  func narrow() {
    // Pairs of layers: the second of each reads the first of its own pair and of the pair before
    // the previous one.
    let layers = (0..<120).map { index in
      var layer = Inspection.Layer.dense(index: index, name: "l\(index)")
      let block = index / 6 * 6
      layer.inputs = index % 6 == 0 ? ["l\(index - 1)"] : (block..<index).map { "l\($0)" }
      return layer
    }
    let items = GraphOutline(StepGraph(layers)).items
    #expect(items.count > 1)
    for item in items.dropLast() { #expect((item.steps.last ?? 0) % 6 == 5) }
  }

  @Test("A few nodes of one layer are one box, which links to the first of them")
  func joined() throws {
    let folder = try TemporaryFolder()
    let model = try ResidualNetwork.model(blocks: 2, in: folder)
    let graph = StepGraph(model.content.graph)
    #expect(graph.steps.count { $0.kind == .operation } == 6)
    #expect(
      graph.steps.prefix(2).map(\.subtitle)
        == ["[batch, 4, 8, 8]", "convolution + 2 [batch, 4, 8, 8]"])
    #expect(graph.steps.compactMap(\.layer) == [0, 3, 6, 7, 10, 13])
    #expect(graph.readers.reduce(0) { $0 + $1.count } == 9)
  }

  @Test("A model of 3,000 layers makes a page of less than 5 MB with all of them")
  func large() throws {
    let folder = try TemporaryFolder()
    let model = try ResidualNetwork.model(blocks: 1000, in: folder)
    let page = try Page([ReportedModel(model, path: "large.cfg")])
    #expect(page.text.utf8.count < 5_000_000)
    #expect(try page.rows("layers").count == model.content.graph.nodes.count)
    let drawn = try page.texts("//section[@id='graph']//a/@href").filter { $0.contains("-l") }
    #expect(drawn.count == 3_000 && Set(drawn).count == 3_000)
  }
}

/// A darknet network of blocks of two convolutions and a shortcut, with generated weights.
enum ResidualNetwork {
  static func model(blocks: Int, in folder: TemporaryFolder) throws -> Model {
    let convolution = """
      [convolutional]
      batch_normalize=1
      filters=4
      size=3
      pad=1
      activation=leaky

      """
    var text = "[net]\nwidth=8\nheight=8\nchannels=4\n"
    for block in 0..<blocks {
      text += convolution + convolution
      text += "[shortcut]\nfrom=-\(block == 0 ? 2 : 3)\nactivation=linear\n"
    }
    try Files.write(text.utf8, to: folder.file("residual.cfg"))
    var options = ReadOptions()
    options.randomWeights = 1
    return try Model(contentsOf: folder.file("residual.cfg"), options: options)
  }
}

extension Inspection.Layer {
  fileprivate static func dense(index: Int, name: String) -> Inspection.Layer {
    Inspection.Layer(
      index: index, name: name, className: "Dense", kind: "dense", outputs: [], parameterCount: 0)
  }
}
