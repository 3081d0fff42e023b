import Bytes
import GraphIR
import Testing

/// Graphs: built, checked, specialized and taken apart.
@Suite struct GraphTests {
  private let row = TensorType(.float32, [.symbolic("batch"), 3])

  /// x + w, then that + x; both are outputs.
  private func graph() throws -> Graph {
    var builder = GraphBuilder()
    let x = try builder.addInput("x", row)
    let w = try builder.addWeight("w", Tensor(.float32, shape: [2, 3], (0..<6).map(Double.init)))
    let first = try builder.addNode(Sum(), named: "a", inputs: [x, w], source: .layer("one"))
    let second = try builder.addNode(
      Sum(), named: "a", inputs: [first[0], x], source: .layer("two"))
    return try builder.finish(
      outputs: [Port(name: "p", value: first[0]), Port(name: "q", value: second[0])])
  }

  @Test("A graph has its values, nodes and ports in the order in which they were added")
  func building() throws {
    let graph = try graph()
    #expect(graph.values.map(\.name) == ["x", "w", "a", "a_2"])
    #expect(graph.nodes.map(\.name) == ["a", "a_2"])
    #expect(graph.values[2].type == TensorType(.float32, [2, 3]))
    #expect(graph.inputs.map(\.name) == ["x"] && graph.outputs.map(\.name) == ["p", "q"])
    #expect(graph.weights.map(\.name) == ["w"] && graph.parameterCount == 6)
    #expect(graph.layerNodes == [0: "one", 1: "two"])
    let renamed = graph.renamingPorts(inputs: ["in"], outputs: ["o", "p"])
    #expect(renamed.inputs == [Port(name: "in", value: ValueID(0))])
    #expect(renamed.outputs.map(\.name) == ["o", "p"] && renamed.values[0].name == "x")
  }

  @Test("A layer that became several nodes, and each of its calls, ends with its last node")
  func layers() throws {
    var builder = GraphBuilder()
    var last = try builder.addInput("x", row)
    for (role, call) in [("sum", 0), ("activation", 0), ("sum", 1)] {
      last = try builder.addNode(
        Sum(), named: "n", inputs: [last, last],
        source: SourceScope(layer: "shared", className: "Test", call: call, role: role))[0]
    }
    let graph = try builder.finish(outputs: [Port(name: "y", value: last)])
    #expect(graph.layerNodes == [1: "shared", 2: "shared:1"])
    #expect(graph.nodes[2].source.place(2) == "#2 shared:1 (Test)")
  }

  @Test("Inputs that do not fit an operator are refused when the node is added")
  func wrongNodes() throws {
    var builder = GraphBuilder()
    let x = try builder.addInput("x", row)
    let y = try builder.addInput("y", TensorType(.float32, [4]))
    for (operation, inputs, word) in [
      (Sum(), [x, y], "the summands differ"),
      (Sum(), [x], "takes 2 inputs (first, second) and has 1"),
      (Passing(), [x], "needs at least 2 tensors and has 1"),
    ] as [(any Operator, [ValueID], String)] {
      let error = #expect(throws: WeighbridgeError.self) {
        _ = try builder.addNode(operation, named: "n", inputs: inputs, source: .layer("l"))
      }
      #expect(error?.code == .malformed && error?.reason == word)
    }
    let input = #expect(throws: WeighbridgeError.self) { _ = try builder.addInput("x", row) }
    #expect(input?.code == .malformed && input?.reason == "two tensors have the name x")
    let weight = #expect(throws: WeighbridgeError.self) {
      _ = try builder.addWeight("y", Tensor(.float32, shape: [], [1]))
    }
    #expect(weight?.code == .malformed && weight?.reason == "two tensors have the name y")
  }

  @Test("A graph without an output, with two of one name, or with an idle weight is refused")
  func wrongGraphs() throws {
    var builder = GraphBuilder()
    let x = try builder.addInput("x", row)
    let plain = builder
    let none = #expect(throws: WeighbridgeError.self) { _ = try plain.finish(outputs: []) }
    #expect(none?.code == .malformed && none?.reason == "the model has no output")
    let ports = [Port(name: "y", value: x), Port(name: "y", value: x)]
    let twice = #expect(throws: WeighbridgeError.self) { _ = try plain.finish(outputs: ports) }
    #expect(twice?.code == .malformed && twice?.reason == "two outputs have the name y")
    _ = try builder.addConstant(Tensor(.float32, shape: [], [1]), named: "x")
    let idle = builder
    let error = #expect(throws: WeighbridgeError.self) {
      _ = try idle.finish(outputs: [Port(name: "y", value: x)])
    }
    #expect(error?.code == .malformed)
    #expect(error?.reason == "the weight x_2 is not used by any layer")
  }

  @Test("Outputs of a node are named by position, or by given names")
  func outputNames() throws {
    var builder = GraphBuilder()
    let x = try builder.addInput("x", row)
    _ = try builder.addNode(Passing(), named: "n", inputs: [x, x, x], source: .layer("l"))
    let named = try builder.addNode(
      Passing(), named: "m", inputs: [x, x], source: .layer("l"), outputNames: ["first"])
    let graph = try builder.finish(outputs: [Port(name: "y", value: named[0])])
    #expect(graph.values.map(\.name) == ["x", "n", "n:1", "n:2", "first", "m:1"])
    #expect(graph.nodes[0].operation.slot(2)?.name == "tensor")
    #expect(Sum().slot(1)?.name == "second" && Sum().slot(2) == nil)
  }

  @Test("Types follow from the inputs' shapes, and a layer that cannot take them is named")
  func specialization() throws {
    let graph = try graph()
    let types = try graph.specialized(to: [TensorType(.float32, [2, 3])])
    #expect(types.map(\.fixedShape) == [[2, 3], [2, 3], [2, 3], [2, 3]])
    #expect(try graph.inferredTypes() == graph.values.map(\.type))
    let error = #expect(throws: WeighbridgeError.self) {
      _ = try graph.specialized(to: [TensorType(.float32, [5, 3])])
    }
    #expect(error?.code == .mismatch && error?.place.layer == "#0 one (Test)")
  }

  @Test("A value is released after its last use; outputs and weights never are")
  func lastUses() throws {
    #expect(try graph().lastUses == [[], [ValueID(0)]])
    var builder = GraphBuilder()
    let x = try builder.addInput("x", row)
    let parts = try builder.addNode(Passing(), named: "n", inputs: [x, x], source: .layer("l"))
    let sum = try builder.addNode(
      Sum(), named: "s", inputs: [parts[0], parts[0]], source: .layer("l"))
    let graph = try builder.finish(outputs: [Port(name: "y", value: sum[0])])
    #expect(graph.lastUses == [[ValueID(0), ValueID(2)], [ValueID(1)]])
  }

  @Test("The peak counts what is alive at once, and sizes that do not fit are over the limit")
  func peak() throws {
    let graph = try graph()
    let types = try graph.specialized(to: [TensorType(.float32, [2, 3])])
    // x, a and a_2 of 24 bytes each; the weight is no activation.
    #expect(try graph.peakActivationSize(types) == 72)
    var builder = GraphBuilder()
    let large = TensorType(.float64, [1 << 59])
    let ids = try ["a", "b", "c"].map { try builder.addInput($0, large) }
    let small = try builder.finish(outputs: [Port(name: "y", value: ids[0])])
    for sizes in [[1 << 59, 1 << 59, 1 << 59], [1 << 61, 1, 1], [1 << 62, 1 << 62, 0]] {
      let error = #expect(throws: WeighbridgeError.self) {
        _ = try small.peakActivationSize(sizes.map { TensorType(.float64, [$0]) })
      }
      #expect(error?.code == .limitExceeded, "\(sizes)")
    }
  }

  @Test("Weights are replaced by name, also by a narrower type that is held exactly")
  func weights() throws {
    let graph = try graph()
    let halves = Tensor(.float16, shape: [2, 3], [1, 2, 3, 4, 5, 6])
    let replaced = try graph.replacingWeights([("w", halves)])
    #expect(replaced.weights[0].tensor.elementType == .float32)
    #expect(replaced.weights[0].tensor.doubles == [1, 2, 3, 4, 5, 6])
    let right = graph.weights[0].tensor
    for wrong: [(String, Tensor)] in [
      [], [("w", right), ("v", right)], [("w", Tensor(.float32, shape: [3, 2], right.doubles))],
      [("w", Tensor(.float64, shape: [2, 3], right.doubles))],
      [("w", Tensor(.int32, shape: [2, 3], right.doubles))],
    ] {
      let error = #expect(throws: WeighbridgeError.self) {
        _ = try graph.replacingWeights(wrong.map { (name: $0.0, tensor: $0.1) })
      }
      #expect(error?.code == .mismatch)
    }
  }

  @Test("A subgraph's inputs are the values it reads from outside")
  func part() throws {
    let graph = try graph()
    let (part, inputs) = try graph.subgraph([1], types: graph.values.map(\.type))
    #expect(inputs == [ValueID(2), ValueID(0)] && part.nodes.count == 1)
    #expect(part.inputs.map(\.name) == ["a", "x"] && part.outputs.map(\.name) == ["0"])
    let (both, all) = try graph.subgraph([0, 1], types: graph.values.map(\.type))
    #expect(all == [ValueID(0)] && both.weights.map(\.name) == ["w"])
  }

  @Test("A result has the precision of the coarsest type on its path")
  func precision() throws {
    var builder = GraphBuilder()
    var ids = [try builder.addInput("x", TensorType(.float64, [2]))]
    for type in [ElementType.float32, .bfloat16, .float16, .float64, .int32, .float32] {
      ids += try builder.addNode(
        Casting(to: type), named: "c", inputs: [ids[ids.count - 1]], source: .layer("l"))
    }
    let graph = try builder.finish(outputs: [Port(name: "y", value: ids[6])])
    #expect(
      graph.precisions
        == [nil, .float32, .bfloat16, .bfloat16, .bfloat16, .bfloat16, .bfloat16])
    #expect(
      [ElementType.bfloat16, .float16, .float32, .float64].map(\.significantBits)
        == [8, 11, 24, 53])
  }
}
