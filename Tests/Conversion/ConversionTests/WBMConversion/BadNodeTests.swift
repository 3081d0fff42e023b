import Bytes
import GraphIR
import LayerCatalog
import TestSupport
import Testing
import WBMConversion
import WBMFormat
import Weighbridge

/// A way in which a node breaks the definition of its operator.
struct BadNode: Sendable, CustomTestStringConvertible {
  /// What is wrong.
  let testDescription: String
  /// The node.
  let name: String
  let code: WeighbridgeError.Code
  /// What the error says of it.
  let message: String
  /// Makes it so.
  let change: @Sendable (inout WBMHeader) -> Void

  /// A node with other attributes.
  private static func attribute(
    _ what: String, _ name: String, _ code: WeighbridgeError.Code, _ message: String,
    _ change: @escaping @Sendable (inout [WBMAttribute]) -> Void
  ) -> BadNode {
    BadNode(testDescription: what, name: name, code: code, message: message) { header in
      for index in header.graph.nodes.indices where header.graph.nodes[index].name == name {
        change(&header.graph.nodes[index].attributes)
      }
    }
  }

  /// A node with other inputs.
  private static func inputs(
    _ what: String, _ name: String, _ message: String,
    _ change: @escaping @Sendable (inout [Int]) -> Void
  ) -> BadNode {
    BadNode(testDescription: what, name: name, code: .malformed, message: message) { header in
      for index in header.graph.nodes.indices where header.graph.nodes[index].name == name {
        change(&header.graph.nodes[index].inputs)
      }
    }
  }

  /// A constant of another element type of the same size.
  private static func constant(_ constant: String, of name: String, _ message: String) -> BadNode {
    BadNode(
      testDescription: "a weight of integers", name: name, code: .malformed, message: message
    ) { header in
      for index in header.graph.values.indices where header.graph.values[index].name == constant {
        header.graph.values[index].elementType = .int32
      }
      for index in header.tensors.indices where header.tensors[index].name == constant {
        header.tensors[index].elementType = .int32
      }
    }
  }

  /// A node that is computed with 8-bit integers.
  private static func quantized(
    _ what: String, _ name: String, input: Int = 0, _ message: String
  ) -> BadNode {
    BadNode(testDescription: what, name: name, code: .malformed, message: message) { header in
      var quantization = WBMQuantization()
      quantization.nodes = [
        .init(name: name, input: input, scale: 0.5, zeroPoint: 3, method: .maximum)
      ]
      header.quantization = quantization
    }
  }

  static let all: [BadNode] = [
    quantized(
      "integers for an operator that has none", "clipped", "is quantized and is a clip"),
    quantized(
      "integers for a sum of three", "three", "is quantized and adds 3 tensors"),
    quantized("integers for a sum of int32", "doubled", "is quantized and is not float32"),
    quantized(
      "integers for a kernel", "dense", input: 1, "is quantized and has weights as its input 1"),
    quantized(
      "integers for weights that are computed", "computed",
      "is quantized and has weights that other layers compute"),
    attribute(
      "a missing attribute", "clipped", .malformed, "clip: the attribute min is missing"
    ) { $0.removeAll { $0.name == "min" } },
    attribute(
      "an attribute of another type", "clipped", .malformed,
      "clip: the attribute min is not"
    ) { $0[1].value = .boolean(true) },
    attribute(
      "an attribute that cannot be", "means", .malformed,
      "reduce: the attribute axes is [1, 1], and must be strictly increasing"
    ) { $0[0].value = .integers([1, 1]) },
    attribute(
      "a word that is not known", "means", .malformed,
      "reduce: the attribute function is median, and must be one of sum, mean, prod"
    ) { $0[1].value = .string("median") },
    attribute(
      "an unknown attribute", "clipped", .unsupported, "clip has an unknown attribute zeal"
    ) { $0.append(WBMAttribute(name: "zeal", value: .integer(1))) },
    inputs("a missing input", "sum", "needs at least 2 inputs and has 1") { $0.removeLast() },
    inputs("an input too many", "clipped", "takes 1 input (input) and has 2") { $0.append($0[0]) },
    inputs("an input of another type", "sum", "takes elements of one type") { $0[1] = 1 },
    constant(
      "scaled/gamma", of: "scaled",
      "the input gamma is int32 [3], which batch_normalization does not take"),
  ]
}

/// Nodes of a `.wbm` file that are not what `operators.json` says are refused when it is opened.
@Suite struct BadNodeTests {
  /// `[batch, 3]` floats and `[batch, 3]` integers, through an addition, a normalization, a clipping
  /// and a mean.
  private func content() throws -> ModelContent {
    var builder = GraphBuilder()
    let type = TensorType(.float32, [.symbolic("batch"), 3])
    let x = try builder.addInput("x", type)
    let number = try builder.addInput("number", TensorType(.int32, type.shape))
    let statistics = try ["gamma", "beta", "mean", "variance"].map { name in
      try builder.addWeight("scaled/\(name)", Tensor(.float32, shape: [3], [1, 2, 3]))
    }
    func add(_ operation: any Operator, _ name: String, _ inputs: ValueID...) throws -> ValueID {
      try builder.addNode(
        operation, named: name, inputs: inputs, source: SourceScope(layer: name, className: "Test")
      )[0]
    }
    let sum = try add(Add(), "sum", x, x)
    let scaled = try builder.addNode(
      BatchNormalization(axis: 1, epsilon: 1e-3, hasScale: true, hasCenter: true), named: "scaled",
      inputs: [sum] + statistics, source: SourceScope(layer: "scaled", className: "Test"))
    let clipped = try add(Clip(minimum: 0, maximum: 1), "clipped", scaled[0])
    let means = try add(Reduce(.mean, axes: [1], keepDims: true), "means", clipped)
    let three = try add(Add(), "three", x, x, x)
    let doubled = try add(Add(), "doubled", number, number)
    let matrix = try builder.addInput("matrix", TensorType(.float32, [2, 3]))
    let computed = try add(Dense(hasBias: false), "computed", x, matrix)
    let dense = try add(
      Dense(hasBias: false), "dense", x,
      builder.addWeight("kernel", Tensor(.float32, shape: [2, 3], [1, 2, 3, 4, 5, 6])))
    return ModelContent(
      graph: try builder.finish(outputs: [
        Port(name: "means", value: means), Port(name: "doubled", value: doubled),
        Port(name: "computed", value: computed), Port(name: "dense", value: dense),
        Port(name: "three", value: three),
      ]), description: ModelDescription(), provenance: Provenance())
  }

  @Test("The unchanged model opens and verifies")
  func whole() throws {
    let folder = try TemporaryFolder()
    try content().write(to: folder.file("x.wbm")) { _ in }
    #expect(try Model(contentsOf: folder.file("x.wbm")).verify().passed)
  }

  @Test("A node that breaks its definition is refused with its name", arguments: BadNode.all)
  func refused(_ bad: BadNode) throws {
    let folder = try TemporaryFolder()
    try content().write(to: folder.file("x.wbm"), changing: bad.change)
    let error = failure { _ = try Model(contentsOf: folder.file("x.wbm")) }
    #expect(error?.code == bad.code)
    #expect(error?.place.layer == bad.name)
    #expect(error?.place.file == folder.file("x.wbm"))
    #expect(error?.reason.contains(bad.message) == true, "\(error?.description ?? "opened")")
  }
}
