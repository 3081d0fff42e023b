import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ReferenceRuntime
import TestSupport
import Testing
import Weighbridge

/// Pixel shuffles and their inverses, in three steps over six axes.
@Suite struct PixelBlocksTests {
  /// How a graph moves channels to blocks or back.
  struct Steps: Sendable, CustomTestStringConvertible {
    let layout: DataLayout
    let toDepth: Bool
    /// The three parts of the channels: y and x in a block, and c.
    let parts: String
    var testDescription: String { "\(layout) \(toDepth ? "to" : "from") depth \(parts)" }

    /// The six axes on the depth side, and on the pixel side.
    var depth: String { layout == .channelsFirst ? "n\(parts)hw" : "nhw\(parts)" }
    var pixels: String { layout == .channelsFirst ? "nchywx" : "nhywxc" }
    /// The groups of axes that form one axis, on each side.
    var groups: (depth: [String], pixels: [String]) {
      layout == .channelsFirst
        ? (["n", parts, "h", "w"], ["n", "c", "hy", "wx"])
        : (["n", "h", "w", parts], ["n", "hy", "wx", "c"])
    }
  }

  private static let all = DataLayout.allCases.flatMap { layout in
    [false, true].flatMap { toDepth in
      ["yxc", "cyx", "xyc", "cxy", "ycx", "xcy"].map {
        Steps(layout: layout, toDepth: toDepth, parts: $0)
      }
    }
  }

  private static let dimensions: [Character: Int] = [
    "n": 2, "c": 3, "h": 2, "w": 5, "y": 2, "x": 2,
  ]

  private let source = SourceScope(layer: "layer", className: "Layer")
  private let runtime = ReferenceRuntime(workers: Workers(count: 1))

  private func size(_ axes: some StringProtocol, _ dimensions: [Character: Int]) -> Int {
    axes.reduce(1) { $0 * (dimensions[$1] ?? 1) }
  }

  /// A graph of the three steps.
  ///
  /// - Parameter openAxes: The axes of the input whose sizes are unknown.
  private func graph(
    _ steps: Steps, _ dimensions: [Character: Int] = dimensions, openAxes: Set<Int> = [],
    returnsInner: Bool = false
  ) throws -> (Graph, Tensor) {
    let (from, to) = steps.toDepth ? (steps.pixels, steps.depth) : (steps.depth, steps.pixels)
    let groups = steps.toDepth ? (steps.groups.pixels, steps.groups.depth) : steps.groups
    let shape = groups.0.map { size($0, dimensions) }
    let count = shape.reduce(1, *)
    var builder = GraphBuilder()
    let type = TensorType(
      .float32, shape.enumerated().map { openAxes.contains($0) ? .unknown : .fixed($1) })
    let input = try builder.addInput("input", type)
    func add(_ operation: any Operator, _ id: ValueID, _ name: String) throws -> ValueID {
      try builder.addNode(operation, named: name, inputs: [id], source: source)[0]
    }
    // The batch keeps its size; another axis of unknown size is inferred from the others.
    func reshape(_ axes: [String]) -> ReshapeAxes {
      ReshapeAxes(
        axes.map { axis in
          if axis == "n" { return openAxes.contains(0) ? .axis(0) : .fixed(dimensions["n"] ?? 1) }
          let isOpen = openAxes.contains { groups.0[$0].first == axis.first && $0 > 0 }
          return isOpen ? .rest : .fixed(size(axis, dimensions))
        })
    }
    let split = try add(reshape(from.map { String($0) }), input, "cut")
    let order = to.map { axis in
      from.firstIndex(of: axis).map { from.distance(from: from.startIndex, to: $0) } ?? 0
    }
    let transposed = try add(Transpose(axes: order), split, "moved")
    let output = try add(reshape(groups.1), transposed, "output")
    let ports =
      [Port(name: "output", value: output)]
      + (returnsInner ? [Port(name: "inner", value: transposed)] : [])
    return (
      try builder.finish(outputs: ports),
      Tensor(.float32, shape: shape, (0..<count).map(Double.init))
    )
  }

  private func hasSixAxes(_ graph: Graph) -> Bool { graph.values.contains { $0.type.rank > 5 } }

  @Test(
    "Three steps become one operator that does the same, in every order and of open sizes",
    arguments: all, [[], [0], [2], [0, 2]] as [Set<Int>])
  func replaced(_ steps: Steps, openAxes: Set<Int>) throws {
    let (graph, input) = try graph(steps, openAxes: openAxes)
    let result = try PixelBlocks(graph).graph
    #expect(hasSixAxes(graph) && !hasSixAxes(result))
    let kinds = Set(result.nodes.map(\.operation.kind))
    #expect(kinds.contains(steps.toDepth ? SpaceToDepth.kind : DepthToSpace.kind))
    #expect(kinds.contains(Gather.kind) == (steps.parts != "yxc"))
    let expected = try runtime.run(graph, inputs: [input]) { _ in }
    let actual = try runtime.run(result, inputs: [input]) { _ in }
    #expect(actual.map(\.shape) == expected.map(\.shape))
    #expect(actual.map(\.doubles) == expected.map(\.doubles))
    #expect(result.outputs.map(\.name) == graph.outputs.map(\.name))
  }

  @Test(
    "Blocks that are not square, and steps that are also outputs, stay as they are", arguments: all)
  func kept(_ steps: Steps) throws {
    let oblong = Self.dimensions.merging(["x": 3]) { $1 }
    for (graph, _) in [try graph(steps, oblong), try graph(steps, returnsInner: true)] {
      #expect(try PixelBlocks(graph).graph.nodes.map(\.name) == graph.nodes.map(\.name))
    }
  }

  @Test("Steps that also turn the image stay as they are")
  func otherOrder() throws {
    let steps: [any Operator] = [
      Reshape(target: [3, 2, 2, 2, 5]), Transpose(axes: [0, 1, 5, 2, 4, 3]),
      Reshape(target: [3, 10, 4]),
    ]
    var builder = GraphBuilder()
    var value = try builder.addInput("input", TensorType(.float32, [2, 12, 2, 5]))
    for step in steps {
      value = try builder.addNode(step, named: "step", inputs: [value], source: source)[0]
    }
    let graph = try builder.finish(outputs: [Port(name: "output", value: value)])
    #expect(hasSixAxes(try PixelBlocks(graph).graph))
  }

  /// The samples, by model, inputs and outputs.
  private static let samples = [
    [
      "Models/pixel-shuffle/model.keras", "Models/pixel-shuffle/inputs.npz",
      "Models/pixel-shuffle/outputs.npz",
    ],
    [
      "ONNX/Exported/shuffled.onnx", "ONNX/Exported/shuffled.inputs.npz",
      "ONNX/Exported/shuffled.outputs.npz",
    ],
    [
      "ONNX/Exported/unshuffled.onnx", "ONNX/Exported/unshuffled.inputs.npz",
      "ONNX/Exported/unshuffled.outputs.npz",
    ],
  ]

  @Test(
    "A pixel shuffle of Keras or PyTorch is read as it is, and exports to every format of networks",
    arguments: samples, ["mlmodel", "onnx", "keras", "h5"])
  func exported(_ sample: [String], to target: String) throws {
    let paths = sample.map { Paths.sample($0) }
    let folder = try TemporaryFolder()
    let model = try Model(contentsOf: paths[0])
    #expect(hasSixAxes(model.content.graph))
    let expected = try ArrayFile.read(paths[2])[0].tensor
    let input = try ArrayFile.read(paths[1])[0]
    #expect(
      Distance(actual: try model.run([input]).outputs[0].tensor, expected: expected).error < 1e-6)
    try model.export(to: folder.file("m.\(target)"))
    let read = try Model(contentsOf: folder.file("m.\(target)"))
    // Keras has no layer for it and gets the three steps.
    #expect(hasSixAxes(read.content.graph) == ["keras", "h5"].contains(target))
    // Core ML takes and returns channels first.
    let isTransposed = target == "mlmodel" && sample[0].hasSuffix(".keras")
    let modelInput = isTransposed ? input.tensor.permuted([0, 3, 1, 2]) : input.tensor
    let actual = try read.run([NamedTensor(name: input.name, tensor: modelInput)]).outputs[0].tensor
    let output = isTransposed ? actual.permuted([0, 2, 3, 1]) : actual
    #expect(Distance(actual: output, expected: expected).error < 1e-6)
  }
}
