import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ReferenceRuntime
import Testing
import _CatalogTesting

/// Conversion of graphs to channels-first.
@Suite struct LayoutConversionTests {
  private let source = SourceScope(layer: "layer", className: "Layer")
  private let runtime = ReferenceRuntime(workers: Workers(count: 1))

  /// Whether the target has an operator for channels-first data only: true for all with a layout.
  private func needsLayout(_ operation: any CatalogOperator) -> Bool {
    operation.attributes.entries.contains { $0.name == "layout" }
  }

  /// A graph in which an operator, if possible, takes what another one made channels-first.
  private func graph(_ example: OperatorExample) throws -> (Graph, [Tensor]) {
    var builder = GraphBuilder()
    var (ids, tensors): ([ValueID], [Tensor]) = ([], [])
    for (position, tensor) in example.inputs.enumerated() {
      guard example.dataPositions.contains(position) else {
        ids.append(try builder.addWeight("weight \(position)", tensor))
        continue
      }
      tensors.append(tensor)
      let input = try builder.addInput("input \(position)", tensor.type)
      let count = tensor.shape.count - 2
      guard count >= 1, tensor.elementType.isFloat else {
        ids.append(input)
        continue
      }
      let none = [Int](repeating: 0, count: count)
      let first = ZeroPadding(borders: Borders(before: none, after: none), layout: .channelsLast)
      ids += try builder.addNode(first, named: "first", inputs: [input], source: source)
    }
    let outputs = try builder.addNode(
      example.operation, named: "operation", inputs: ids, source: source)
    let ports = outputs.enumerated().map { Port(name: "output \($0)", value: $1) }
    return (try builder.finish(outputs: ports), tensors)
  }

  @Test("A graph converted to channels-first computes the same", arguments: OperatorExample.all)
  func same(_ example: OperatorExample) throws {
    let (graph, inputs) = try graph(example.inDouble)
    let expectedOutputs = try runtime.run(graph, inputs: inputs) { _ in }
    for transposesPorts in [false, true] {
      let converted = try LayoutConversion(
        graph, to: .channelsFirst, transposesPorts: transposesPorts, needsLayout: needsLayout)
      let convertedInputs = inputs.enumerated().map { position, tensor in
        converted.transposedInputs.contains(position) ? tensor.channelsFirst : tensor
      }
      let results = try runtime.run(converted.graph, inputs: convertedInputs) { _ in }
      #expect(!expectedOutputs.isEmpty && results.count == expectedOutputs.count)
      for (position, pair) in zip(results, expectedOutputs).enumerated() {
        let expected =
          converted.transposedOutputs.contains(position) ? pair.1.channelsFirst : pair.1
        #expect(pair.0.shape == expected.shape)
        let scale = expected.doubles.filter(\.isFinite).map(abs).max() ?? 0
        let isSame = zip(pair.0.doubles, expected.doubles).allSatisfy {
          $0 == $1 || ($0.isNaN && $1.isNaN) || abs($0 - $1) <= 1e-12 * (1 + scale)
        }
        #expect(isSame, "\(example.operation.kind), output \(position)")
      }
    }
  }

  /// A chain of convolutions with activations and additions between them.
  private func chain(_ count: Int) throws -> Graph {
    var builder = GraphBuilder()
    let shape: [Dimension] = [.symbolic("batch"), 8, 8, 2]
    var value = try builder.addInput("x", TensorType(.float32, shape))
    let window = Window(size: [1, 1], strides: [1, 1], dilation: [1, 1], padding: .valid)
    let convolution = Convolution(
      window: window, groups: 1, hasBias: false, layout: .channelsLast)
    let kernel = try builder.addWeight(
      "kernel", Tensor(.float32, shape: [2, 2, 1, 1], [1, 0, 0, 1]))
    for number in 0..<count {
      value = try builder.addNode(
        convolution, named: "convolution_\(number)", inputs: [value, kernel], source: source)[0]
      value = try builder.addNode(
        Tanh(), named: "tanh_\(number)", inputs: [value], source: source)[0]
      value = try builder.addNode(
        Add(), named: "add_\(number)", inputs: [value, value], source: source)[0]
    }
    return try builder.finish(outputs: [Port(name: "y", value: value)])
  }

  @Test("A chain needs one transpose at each end, and none with NCHW inputs and outputs")
  func transposes() throws {
    let graph = try chain(5)
    let count = { (graph: Graph) in graph.nodes.count { $0.operation is Transpose } }
    let unchanged = try LayoutConversion(
      graph, to: .channelsFirst, transposesPorts: false, needsLayout: needsLayout)
    #expect(count(unchanged.graph) == 2)
    let outputType = unchanged.graph[unchanged.graph.outputs[0].value].type
    #expect(outputType == graph[graph.outputs[0].value].type)
    let nchw = try LayoutConversion(
      graph, to: .channelsFirst, transposesPorts: true, needsLayout: needsLayout)
    #expect(count(nchw.graph) == 0)
    #expect(nchw.transposedInputs == [0] && nchw.transposedOutputs == [0])
    let shape = nchw.graph[nchw.graph.inputs[0].value].type.shape
    #expect(shape == [.symbolic("batch"), 2, 8, 8])
  }

  @Test("Transposes of the source that become redundant are removed")
  func ownTranspose() throws {
    var builder = GraphBuilder()
    let input = try builder.addInput("x", TensorType(.float32, [1, 3, 4, 5]))
    let transposed = try builder.addNode(
      Transpose(axes: [0, 2, 3, 1]), named: "permute", inputs: [input], source: source)
    let pooling = GlobalMaxPooling(keepDims: true, layout: .channelsLast)
    let pooled = try builder.addNode(pooling, named: "pool", inputs: transposed, source: source)
    let back = try builder.addNode(
      Transpose(axes: [0, 3, 1, 2]), named: "back", inputs: pooled, source: source)
    let graph = try builder.finish(outputs: [Port(name: "y", value: back[0])])
    let result = try LayoutConversion(
      graph, to: .channelsFirst, transposesPorts: false, needsLayout: needsLayout
    ).graph
    #expect(result.nodes.map { $0.operation.kind } == [GlobalMaxPooling.kind])
  }

  @Test("A PReLU is converted together with its weights")
  func rectifier() throws {
    var builder = GraphBuilder()
    let input = try builder.addInput("x", TensorType(.float32, [1, 4, 5, 3]))
    let alpha = try builder.addWeight(
      "alpha", .random(.float32, shape: [4, 5, 3], in: 0...1, seed: 1))
    let pooling = GlobalMaxPooling(keepDims: true, layout: .channelsLast)
    let pooled = try builder.addNode(pooling, named: "pool", inputs: [input], source: source)
    let sum = try builder.addNode(Add(), named: "add", inputs: [input] + pooled, source: source)
    let activated = try builder.addNode(
      PReLU(), named: "bend", inputs: sum + [alpha], source: source)
    let graph = try builder.finish(outputs: [Port(name: "y", value: activated[0])])
    let converted = try LayoutConversion(
      graph, to: .channelsFirst, transposesPorts: true, needsLayout: needsLayout)
    #expect(converted.graph.nodes.allSatisfy { !($0.operation is Transpose) })
    let tensor = Tensor.random(.float32, shape: [1, 4, 5, 3], in: -1...1, seed: 2)
    let expected = try runtime.run(graph, inputs: [tensor]) { _ in }
    let actual = try runtime.run(converted.graph, inputs: [tensor.channelsFirst]) { _ in }
    #expect(actual[0].doubles == expected[0].channelsFirst.doubles)
  }

  @Test(
    "A constant that is both a rectifier's weight and data is transposed for each",
    arguments: [false, true])
  func sharedConstant(isDataFirst: Bool) throws {
    var builder = GraphBuilder()
    let image = try builder.addInput("image", TensorType(.float32, [1, 3, 3, 3]))
    let sequence = try builder.addInput("sequence", TensorType(.float32, [3, 3, 3]))
    let shared = try builder.addWeight(
      "shared", .random(.float32, shape: [3, 3, 3], in: 0...1, seed: 1))
    let pooling = GlobalMaxPooling(keepDims: true, layout: .channelsLast)
    let brightest = try builder.addNode(
      pooling, named: "brightest", inputs: [image], source: source)
    let centered = try builder.addNode(
      Subtract(), named: "centered", inputs: [image] + brightest, source: source)
    let largest = try builder.addNode(
      pooling, named: "largest", inputs: [sequence], source: source)
    var ports: [Port] = []
    for isData in [isDataFirst, !isDataFirst] {
      let output =
        try isData
        ? builder.addNode(Add(), named: "sum", inputs: largest + [shared], source: source)
        : builder.addNode(PReLU(), named: "prelu", inputs: centered + [shared], source: source)
      ports.append(Port(name: isData ? "sum" : "prelu", value: output[0]))
    }
    let graph = try builder.finish(outputs: ports)
    let converted = try LayoutConversion(
      graph, to: .channelsFirst, transposesPorts: false, needsLayout: needsLayout)
    let inputs = [[1, 3, 3, 3], [3, 3, 3]].map {
      Tensor.random(.float32, shape: $0, in: -1...1, seed: 2)
    }
    let expected = try runtime.run(graph, inputs: inputs) { _ in }
    let actual = try runtime.run(converted.graph, inputs: inputs) { _ in }
    #expect(actual.map(\.doubles) == expected.map(\.doubles))
  }

  @Test("Grouped outputs are transposed all together or not at all")
  func outputGroup() throws {
    var builder = GraphBuilder()
    let input = try builder.addInput("x", TensorType(.float32, [1, 4, 4, 3]))
    let pooling = GlobalMaxPooling(keepDims: true, layout: .channelsLast)
    let pooled = try builder.addNode(pooling, named: "pool", inputs: [input], source: source)
    let shaped = try builder.addNode(
      Reshape(target: [2, 8, 3]), named: "reshape", inputs: [input], source: source)
    let graph = try builder.finish(
      outputs: [Port(name: "turned", value: pooled[0]), Port(name: "kept", value: shaped[0])])
    let independent = try LayoutConversion(
      graph, to: .channelsFirst, transposesPorts: true, needsLayout: needsLayout)
    let grouped = try LayoutConversion(
      graph, to: .channelsFirst, transposesPorts: true, outputGroup: ["turned", "kept"],
      needsLayout: needsLayout)
    #expect(independent.transposedOutputs == [0] && grouped.transposedOutputs.isEmpty)
    let types = grouped.graph.outputs.map { grouped.graph[$0.value].type }
    #expect(types == graph.outputs.map { graph[$0.value].type })
  }

  @Test("Converting a long chain asks for each operator's layout at most four times")
  func long() throws {
    let graph = try chain(4000)
    var questions = 0
    let converted = try LayoutConversion(graph, to: .channelsFirst, transposesPorts: false) {
      operation in
      questions += 1
      return needsLayout(operation)
    }
    #expect(questions <= 4 * graph.nodes.count)
    #expect(converted.graph.nodes.count == graph.nodes.count + 2)
  }
}

extension Tensor {
  /// A channels-last tensor with its channels first.
  fileprivate var channelsFirst: Tensor {
    permuted(DataLayout.channelsLast.axesToChannelsFirst(rank: shape.count))
  }
}
