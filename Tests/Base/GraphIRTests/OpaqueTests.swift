import Bytes
import GraphIR
import Testing

/// Layers that are kept without being understood.
@Suite struct OpaqueTests {
  private let opaque = Opaque(
    className: "Warp", settings: #"{"amount":3}"#, inputCount: 2, weightNames: ["w"],
    outputs: [
      .init(elementType: .float32, dimensions: [nil, 4]), .init(elementType: .int8, dimensions: []),
    ])

  @Test("The attributes give the same operator again")
  func attributes() throws {
    var reader = try AttributeReader(opaque.attributes, of: Opaque.kind)
    #expect(try Opaque(reading: &reader) == opaque)
    try reader.finish()
    #expect(opaque.inputs.map(\.name) == ["input 0", "input 1", "w"])
  }

  @Test("An open first axis is that of the first input")
  func types() throws {
    let input = TensorType(.float32, [.symbolic("batch"), 3])
    let types = try opaque.checkedOutputTypes(of: [input, input, TensorType(.float32, [1])])
    #expect(types == [TensorType(.float32, [.symbolic("batch"), 4]), TensorType(.int8, [Int]())])
    let scalar = TensorType(.float32, [Int]())
    #expect(
      try opaque.checkedOutputTypes(of: [scalar, input, scalar])[0]
        == TensorType(.float32, [.unknown, 4]))
    #expect(throws: ShapeError.self) { _ = try opaque.checkedOutputTypes(of: [input]) }
  }

  @Test(
    "Stored attributes that contradict each other are refused",
    arguments: [
      ("inputs", .integer(-1)), ("inputs", .integer(1 << 20)), ("ranks", .integers([])),
      ("ranks", .integers([2])), ("ranks", .integers([3, 0])), ("ranks", .integers([-1, 3])),
      ("ranks", .integers([1, 0])), ("ranks", .integers([Int.max, 0])),
      ("sizes", .integers([-2, 4])), ("sizes", .integers([1])),
      ("element_types", .strings(["float32"])), ("element_types", .strings(["float32", "text"])),
    ] as [(String, AttributeValue)])
  func malformed(_ name: String, _ value: AttributeValue) throws {
    let changed = Attributes(
      opaque.attributes.entries.map { ($0.name, $0.name == name ? value : $0.value) })
    var reader = try AttributeReader(changed, of: Opaque.kind)
    let error = #expect(throws: WeighbridgeError.self) { _ = try Opaque(reading: &reader) }
    #expect(error?.code == .malformed)
  }

  @Test("A graph with such a layer does not run, and the layer is named")
  func running() throws {
    var builder = GraphBuilder()
    let x = try builder.addInput("x", TensorType(.float32, [2, 3]))
    let warp = Opaque(
      className: "Warp", settings: "{}", inputCount: 1, weightNames: [],
      outputs: [.init(elementType: .float32, dimensions: [2, 3])])
    let outputs = try builder.addNode(warp, named: "w", inputs: [x], source: .layer("warp"))
    let graph = try builder.finish(outputs: [Port(name: "y", value: outputs[0])])
    #expect(graph.opaqueNodes.map(\.position) == [0])
    let error = #expect(throws: WeighbridgeError.self) { try graph.checkRuns() }
    #expect(error?.code == .unsupported && error?.place.layer == "#0 warp (Test)")
  }
}
