import Bytes
import GraphIR
import LayerCatalog
import Synchronization
import TestSupport
import Testing
import WBMConversion
import WBMFormat
import Weighbridge
import _CatalogTesting

/// Loops and branches in models: how they are stored, limited and compared.
@Suite struct SubgraphTests {
  /// A way in which a stored subgraph does not fit its node.
  struct BadSubgraph: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let code: WeighbridgeError.Code
    let message: String
    /// Changes the node of the loop and the tensors of the file.
    let change: @Sendable (inout WBMNode, inout [WBMTensor]) -> Void

    init(
      _ what: String, _ code: WeighbridgeError.Code, _ message: String,
      _ change: @escaping @Sendable (inout WBMNode) -> Void
    ) {
      self.init(what, code, message) { (node, _: inout [WBMTensor]) in change(&node) }
    }

    init(
      _ what: String, _ code: WeighbridgeError.Code, _ message: String,
      _ change: @escaping @Sendable (inout WBMNode, inout [WBMTensor]) -> Void
    ) {
      (testDescription, self.code, self.message, self.change) = (what, code, message, change)
    }
  }

  static let badSubgraphs = [
    BadSubgraph("no body", .malformed, "loop: the subgraph body is missing") {
      $0.subgraphs = []
    },
    BadSubgraph("two bodies", .unsupported, "loop has 1 subgraph more than it takes") {
      $0.subgraphs.append($0.subgraphs[0])
    },
    BadSubgraph(
      "a body that takes less", .malformed, "the subgraph body has 4 inputs, expected 3"
    ) { $0.setAttribute("captured", .integer(1)) },
    BadSubgraph("many states", .malformed, "the attribute states is 4294967296, and must be") {
      $0.setAttribute("states", .integer(1 << 32))
    },
    BadSubgraph(
      "a body that gives less", .malformed,
      "the subgraph body has 3 outputs, expected at least 4"
    ) {
      $0.setAttribute("states", .integer(3))
      $0.setAttribute("captured", .integer(0))
    },
    BadSubgraph("other elements", .malformed, "the attribute element_types is [\"bool\"]") {
      $0.setAttribute("element_types", .strings(["bool"]))
    },
    BadSubgraph("elements of no type", .malformed, "expected element types") {
      $0.setAttribute("element_types", .strings(["number", "int64"]))
    },
    BadSubgraph(
      "a step of floats", .malformed, "expected a step int64 [] and a condition bool []"
    ) { $0.subgraphs[0].values[0].elementType = .float32 },
    BadSubgraph(
      "a condition that is a number", .malformed, "expected a step int64 [] and a condition bool []"
    ) { $0.subgraphs[0].outputs[0].value = 0 },
    BadSubgraph("a state that changes", .malformed, "the body changes the state 0 from") {
      $0.subgraphs[0].outputs[1].value = $0.subgraphs[0].inputs[3].value
    },
    BadSubgraph("an unknown operator within", .unsupported, "unknown operator sorcery") {
      $0.subgraphs[0].nodes[0].kind = "sorcery"
    },
    BadSubgraph("an attribute within", .unsupported, "add has an unknown attribute zeal") {
      $0.subgraphs[0].nodes[0].attributes.append(
        WBMAttribute(name: "zeal", value: .integer(1)))
    },
    BadSubgraph("inputs that do not fit within", .malformed, "") {
      $0.subgraphs[0].values[2].elementType = .bool
    },
    BadSubgraph("a body without an input", .malformed, "") {
      $0.subgraphs[0].inputs = []
    },
    BadSubgraph("a value of nowhere", .malformed, "is value #99, but there are") {
      $0.subgraphs[0].nodes[0].inputs[0] = 99
    },
    BadSubgraph("a value of later", .malformed, "which nothing before it computes") {
      $0.subgraphs[0].nodes[0].inputs[0] = $0.subgraphs[0].nodes[1].outputs[0]
    },
    BadSubgraph("a constant within", .unsupported, "a subgraph has the constant") {
      (node, tensors: inout [WBMTensor]) in
      guard let tensor = tensors.firstIndex(where: { $0.name == "limit" }) else { return }
      var value = WBMValue()
      (value.name, value.elementType, value.tensor) = ("hidden", .int64, tensor)
      node.subgraphs[0].values.insert(value, at: 4)
      for index in node.subgraphs[0].nodes.indices {
        node.subgraphs[0].nodes[index].outputs = node.subgraphs[0].nodes[index].outputs.map {
          $0 + 1
        }
        node.subgraphs[0].nodes[index].inputs = node.subgraphs[0].nodes[index].inputs.map {
          $0 >= 4 ? $0 + 1 : $0 == 3 ? 4 : $0
        }
      }
      for index in node.subgraphs[0].outputs.indices { node.subgraphs[0].outputs[index].value += 1 }
    },
  ]

  private static let scope = SourceScope(layer: "loop", className: "Test")

  /// The first loop of the catalog's examples, with its limit as a weight.
  private func graph(_ operation: (any CatalogOperator)? = nil) throws -> Graph {
    let example = try #require(OperatorExample.all.first { $0.operation is Loop })
    var builder = GraphBuilder()
    var inputs: [ValueID] = []
    for (position, tensor) in example.inputs.dropLast().enumerated() {
      inputs.append(try builder.addInput("input_\(position)", tensor.type))
    }
    inputs.append(try builder.addWeight("limit", example.inputs[4]))
    let outputs = try builder.addNode(
      operation ?? example.operation, named: "loop", inputs: inputs, source: Self.scope)
    return try builder.finish(
      outputs: outputs.enumerated().map { Port(name: "output_\($0)", value: $1) })
  }

  private func write(
    _ graph: Graph, to path: String, _ change: (inout WBMHeader) -> Void = { _ in }
  ) throws {
    try ModelContent(graph: graph, description: ModelDescription(), provenance: Provenance())
      .write(to: path, changing: change)
  }

  @Test("A model with a loop is stored, read and verified")
  func stored() throws {
    let folder = try TemporaryFolder()
    try write(graph(), to: folder.file("x.wbm"))
    let model = try Model(contentsOf: folder.file("x.wbm"))
    #expect(try model.verify().passed)
    let original = try graph().nodes[0].operation
    let read = model.content.graph.nodes[0].operation
    #expect(AnyHashable(read) == AnyHashable(original))
  }

  @Test("A stored subgraph that does not fit is refused", arguments: badSubgraphs)
  func refused(_ bad: BadSubgraph) throws {
    let folder = try TemporaryFolder()
    let error = failure {
      try write(graph(), to: folder.file("x.wbm")) {
        bad.change(&$0.graph.nodes[0], &$0.tensors)
      }
      _ = try Model(contentsOf: folder.file("x.wbm"))
    }
    #expect(error?.code == bad.code)
    #expect(error?.reason.contains(bad.message) == true, "\(error?.description ?? "opened")")
  }

  @Test("An operator without subgraphs is refused with one")
  func surplus() throws {
    let example = try #require(OperatorExample.all.first { $0.operation is Loop })
    let error = failure {
      _ = try Catalog.standard.makeStoredOperator(
        kind: "tanh", version: 1, attributes: [:], subgraphs: example.operation.subgraphs)
    }
    #expect(error?.code == .unsupported)
    #expect(error?.reason == "tanh has 1 subgraph more than it takes")
  }

  /// A loop without an end, whose state is a number, and which may collect it.
  private func endless(collects: Bool) throws -> Model {
    var body = GraphBuilder()
    let step = try body.addInput("step", TensorType(.int64, [Int]()))
    let state = try body.addInput("state", TensorType(.float32, [1 << 10]))
    let going = try body.addInput("going", TensorType(.bool, [Int]()))
    _ = step
    let outputs = [going, state] + (collects ? [state] : [])
    let loop = Loop(
      body: try Subgraph(
        body.finish(outputs: outputs.enumerated().map { Port(name: "\($0)", value: $1) })),
      stateCount: 1, capturedCount: 1)
    var builder = GraphBuilder()
    let count = try builder.addInput("count", TensorType(.int64, [Int]()))
    let flag = try builder.addInput("flag", TensorType(.bool, [Int]()))
    let x = try builder.addInput("x", TensorType(.float32, [1 << 10]))
    let results = try builder.addNode(
      loop, named: "loop", inputs: [count, flag, x, flag], source: Self.scope)
    let graph = try builder.finish(
      outputs: results.enumerated().map { Port(name: "output_\($0)", value: $1) })
    let folder = try TemporaryFolder()
    try write(graph, to: folder.file("x.wbm"))
    return try Model(contentsOf: folder.file("x.wbm"))
  }

  private let endlessInputs = [
    NamedTensor(name: "count", tensor: Tensor(wrapping: .int64, shape: [], [Int64.max])),
    NamedTensor(name: "flag", tensor: Tensor(.bool, shape: [], [1])),
    NamedTensor(name: "x", tensor: .random(.float32, shape: [1 << 10], in: -1...1, seed: 1)),
  ]

  @Test("A loop without an end is an error")
  func endless() throws {
    let graph = try endless(collects: false).content.graph
    let loop = try #require(graph.nodes[0].operation as? Loop)
    let inputs = endlessInputs.map(\.tensor)
    var count = 0
    let error = failure {
      _ = try loop.evaluate(inputs + [inputs[1]], memoryLimit: 1) {
        (_, values) throws(WeighbridgeError) in
        count += 1
        return [values[2], values[1]]
      }
    }
    #expect(error?.code == .limitExceeded)
    #expect(error?.reason == "goes on after 1048576 steps, which is the limit for a loop")
    #expect(count == 1 << 20)
  }

  @Test(
    "What a loop collects takes no more memory than allowed", arguments: [Engine.cpu, .reference])
  func memory(_ engine: Engine) throws {
    var options = RunOptions()
    options.engine = engine
    options.memoryLimit = 1 << 20
    let error = failure {
      _ = try endless(collects: true).run(endlessInputs, options: options)
    }
    #expect(error?.code == .limitExceeded)
    #expect(error?.reason.contains("collects more than 1048576 bytes in 257 steps") == true)
  }

  @Test("A loop can be cancelled", arguments: [Engine.cpu, .reference])
  func cancelled(_ engine: Engine) throws {
    var options = RunOptions()
    options.engine = engine
    let model = try endless(collects: false)
    // The loop is running when it asks for the thousandth time.
    let questions = Questions()
    options.cancellation = Cancellation { questions.next() >= 1000 }
    let error = failure { _ = try model.run(endlessInputs, options: options) }
    #expect(error?.code == .cancelled)
    #expect(questions.next() < 2000)
  }

  @Test("A body that computes something else is a difference")
  func difference() throws {
    let folder = try TemporaryFolder()
    try write(graph(), to: folder.file("a.wbm"))
    try write(graph(), to: folder.file("b.wbm")) { header in
      header.graph.nodes[0].subgraphs[0].nodes[0].kind = "subtract"
    }
    let models = try ["a.wbm", "b.wbm"].map { try Model(contentsOf: folder.file($0)) }
    #expect(try models[0].differences(from: models[0]).items.isEmpty)
    #expect(try !models[0].differences(from: models[1]).items.isEmpty)
  }
}

/// The number of times that a run asked whether to stop.
private final class Questions: Sendable {
  private let count = Atomic(0)

  func next() -> Int { count.add(1, ordering: .relaxed).newValue }
}

extension WBMNode {
  fileprivate mutating func setAttribute(_ name: String, _ value: WBMAttribute.Value) {
    for index in attributes.indices where attributes[index].name == name {
      attributes[index].value = value
    }
  }
}
