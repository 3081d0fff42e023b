import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import TestSupport
import Testing
import _CatalogTesting

/// Graphs for targets that take one example at a time.
@Suite struct SingleExampleTests {
  private let source = SourceScope(layer: "layer", className: "Layer")

  /// Operators that mix the rows of a matrix.
  private static let mixing = examples([
    Softmax(axes: [0]), LogSoftmax(axes: [0, 1]), Sparsemax(axes: [0]),
    UnitNormalization(axes: [0]), SumNormalization(axes: [0], epsilon: 1),
    LayerNormalization(axes: [0], epsilon: 1, hasScale: false, hasCenter: false),
    CumSum(axis: 0, isExclusive: false, isReversed: false),
    CumProd(axis: 0, isExclusive: false, isReversed: false),
    Sort(axis: 0, isDescending: false), ArgMax(axis: 0, keepDims: true, elementType: .int32),
    ArgMin(axis: 0, keepDims: false, elementType: .int64),
    Reduce(.maximum, axes: [0], keepDims: false), Reverse(axes: [0]),
    Slice([.init(axis: 0, start: 0, stop: 1, step: 1)]),
    Slice([.init(axis: 0, start: nil, stop: nil, step: -1)]), Tile(counts: [2, 1]),
    Repeat(axis: 0, count: 2), Pad(before: [1, 0], after: [0, 0], mode: .constant),
  ])

  /// Operators that compute each row of a matrix by itself.
  private static let rowwise = examples([
    Softmax(axes: [1]), CumSum(axis: 1, isExclusive: false, isReversed: false), Reverse(axes: [1]),
    Slice([.init(axis: 0, start: 0, stop: Int(Int32.max), step: 1)]), Tile(counts: [1, 2]),
    Reduce(.sum, axes: [1], keepDims: false), ExpandDims(axes: [1]),
    ReshapeAxes([.rest, .fixed(1)]),
  ])

  private static func examples(_ operations: [any CatalogOperator]) -> [OperatorExample] {
    operations.map { OperatorExample($0, shapes: [[2, 3]]) }
  }

  /// Builds a graph with an input `[batch, 3]`.
  private func makeGraph(
    batch: Dimension = .symbolic("batch"),
    _ build: (inout GraphBuilder, ValueID) throws -> [ValueID]
  ) throws -> Graph {
    var builder = GraphBuilder()
    let input = try builder.addInput("x", TensorType(.float32, [batch, 3]))
    let outputs = try build(&builder, input)
    return try builder.finish(outputs: [Port(name: "y", value: outputs[0])])
  }

  private func expectRefused(_ graph: Graph) {
    let error = failure { _ = try SingleExample.types(graph, for: "the target") }
    #expect(error?.code == .unsupported)
    #expect(
      error?.reason.hasPrefix("it works across the batch axis of an input, and the target")
        == true, "\(String(describing: error))")
  }

  @Test(
    "An operator that mixes the examples of a batch is refused", arguments: mixing,
    [.symbolic("batch"), .unknown] as [Dimension])
  func mixed(_ example: OperatorExample, batch: Dimension) throws {
    expectRefused(
      try makeGraph(batch: batch) { builder, x in
        try builder.addNode(example.operation, inputs: [x], source: source)
      })
  }

  @Test("Operators of several inputs that mix the examples of a batch are refused")
  func mixedInputs() throws {
    let operations: [any CatalogOperator] = [
      Concatenate(axis: 0), MatMul(transposeA: true, transposeB: false),
      // Its output is a product for each pair of examples.
      MatMul(transposeA: false, transposeB: true),
    ]
    for operation in operations {
      expectRefused(
        try makeGraph { builder, x in
          try builder.addNode(operation, inputs: [x, x], source: source)
        })
    }
    expectRefused(
      try makeGraph { builder, x in
        let indices = try builder.addWeight("indices", Tensor(.int64, shape: [2], [0, 0]))
        return try builder.addNode(Gather(axis: 0), inputs: [x, indices], source: source)
      })
  }

  @Test("A transposed batch axis is detected, also in an output")
  func transposed() throws {
    expectRefused(
      try makeGraph { builder, x in
        let columns = try builder.addNode(Transpose(axes: [1, 0]), inputs: [x], source: source)
        return try builder.addNode(Softmax(axes: [1]), inputs: columns, source: source)
      })
    let graph = try makeGraph { builder, x in
      try builder.addNode(Transpose(axes: [1, 0]), inputs: [x], source: source)
    }
    let error = failure { _ = try SingleExample.types(graph, for: "the target") }
    #expect(error?.code == .unsupported)
    #expect(error?.reason.contains("the output y is float32 [3, batch]") == true)
  }

  @Test("An operator that computes each example by itself is not refused", arguments: rowwise)
  func separate(_ example: OperatorExample) throws {
    let graph = try makeGraph { builder, x in
      try builder.addNode(example.operation, inputs: [x], source: source)
    }
    let types = try SingleExample.types(graph, for: "the target")
    #expect(types[graph.inputs[0].value.index].shape == [1, 3])
    #expect(types.allSatisfy { $0.fixedShape != nil })
  }

  /// A graph in which an operator is the body of a loop, or one of two branches.
  private func makeGraph(running operation: any CatalogOperator, isLoop: Bool) throws -> Graph {
    let (flag, number) = (TensorType(.bool, [Int]()), TensorType(.int64, [Int]()))
    let type = TensorType(.float32, [.symbolic("batch"), 3])
    var builder = GraphBuilder()
    if isLoop { _ = try builder.addInput("step", number) }
    let value = try builder.addInput("value", type)
    let next = isLoop ? [try builder.addInput("condition", flag)] : []
    let results = try builder.addNode(operation, inputs: [value], source: source)
    let subgraph = try Subgraph(
      builder.finish(
        outputs: (next + results.prefix(1)).enumerated().map { Port(name: "\($0)", value: $1) }))
    return try makeGraph { builder, x in
      let condition = try builder.addWeight("condition", Tensor(.bool, shape: [], [1]))
      guard isLoop else {
        let branches = Conditional(first: subgraph, second: subgraph, capturedCount: 1)
        return try builder.addNode(branches, inputs: [condition, x], source: source)
      }
      let maximum = try builder.addWeight("maximum", Tensor(.int64, shape: [], [2]))
      return try builder.addNode(
        Loop(body: subgraph, stateCount: 1, capturedCount: 1),
        inputs: [maximum, condition, x, condition], source: source)
    }
  }

  @Test(
    "A loop or a branch that mixes the examples of a batch is refused, and no other",
    arguments: [true, false])
  func subgraphs(isLoop: Bool) throws {
    expectRefused(try makeGraph(running: Softmax(axes: [0]), isLoop: isLoop))
    expectRefused(try makeGraph(running: Reverse(axes: [0]), isLoop: isLoop))
    for operation: any CatalogOperator in [Softmax(axes: [1]), Reverse(axes: [1]), Tanh()] {
      let graph = try makeGraph(running: operation, isLoop: isLoop)
      let types = try SingleExample.types(graph, for: "the target")
      #expect(types[graph.outputs[0].value.index].shape == [1, 3])
    }
  }

  @Test("A model that takes only one example does not mix examples")
  func single() throws {
    let graph = try makeGraph { builder, x in
      let row = try builder.addNode(
        ReshapeAxes([.fixed(1), .fixed(3)]), inputs: [x], source: source)
      return try builder.addNode(Softmax(axes: [0]), inputs: row, source: source)
    }
    let types = try SingleExample.types(graph, for: "the target")
    #expect(types[graph.outputs[0].value.index].shape == [1, 3])
  }

  /// The input, scaled by the number of its elements along some axes.
  private func makeScaled(axes: Range<Int>) throws -> Graph {
    try makeGraph { builder, x in
      let shape = try builder.addNode(Shape(elementType: .int64), inputs: [x], source: source)
      let range = Slice.Range(axis: 0, start: axes.lowerBound, stop: axes.upperBound, step: 1)
      let sizes = try builder.addNode(Slice([range]), inputs: shape, source: source)
      let count = try builder.addNode(
        Reduce(.product, axes: [0], keepDims: false), inputs: sizes, source: source)
      let factor = try builder.addNode(Cast(to: .float32), inputs: count, source: source)
      let matrix = try builder.addNode(ExpandDims(axes: [0, 1]), inputs: factor, source: source)
      return try builder.addNode(Multiply(), inputs: [x, matrix[0]], source: source)
    }
  }

  @Test("An output that follows from the number of examples is refused", arguments: [0..<1, 0..<2])
  func counted(axes: Range<Int>) throws {
    let graph = try makeScaled(axes: axes)
    let error = failure { _ = try SingleExample.types(graph, for: "the target") }
    #expect(error?.code == .unsupported)
    #expect(
      error?.reason
        == "the output y follows from the number of examples in a batch, and the target takes one "
        + "example at a time")
  }

  @Test("An output that follows from another size, or has the shape of a batch, is not refused")
  func otherSizes() throws {
    let scaled = try makeScaled(axes: 1..<2)
    let reshaped = try makeGraph { builder, x in
      let shape = try builder.addNode(Shape(elementType: .int64), inputs: [x], source: source)
      return try builder.addNode(ReshapeTo(), inputs: [x, shape[0]], source: source)
    }
    for graph in [scaled, reshaped] {
      _ = try SingleExample.types(graph, for: "the target")
    }
  }
}
