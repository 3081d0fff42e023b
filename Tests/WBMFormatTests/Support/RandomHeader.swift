import Bytes
import WBMFormat

/// Makes headers that follow all rules and use every field sooner or later.
struct RandomHeader {
  var generator: SplitMix64
  private var counter = 0
  private var tensors: [WBMTensor] = []

  init(seed: UInt64) { generator = SplitMix64(seed: seed) }

  mutating func header() -> WBMHeader {
    let graph = graph(level: 1)
    let (inputs, outputs) = (graph.inputs, graph.outputs)
    let references = list(0...2) { random in
      WBMReferenceSet(
        by: random.text(), inputs: inputs.map { .init(name: $0.name, tensor: random.tensor()) },
        outputs: outputs.map { .init(name: $0.name, tensor: random.tensor()) },
        layerOutputs: random.list(0...2) { .init(name: $0.name(), tensor: $0.tensor()) })
    }
    let description = description(inputs: inputs.map(\.name), outputs: outputs.map(\.name))
    return WBMHeader(
      graph: graph, tensors: tensors, description: description, provenance: provenance(),
      references: references, schema: list(0...3) { UInt8($0.number(255)) })
  }

  // MARK: Graphs

  mutating func graph(level: Int) -> WBMGraph {
    var graph = WBMGraph()
    let inputCount = number(2)
    graph.values = list(0...6) { random in random.value(isConstant: false) }
    let constants = list(0...2) { random in random.value(isConstant: true) }
    for index in graph.values.indices.prefix(inputCount) {
      graph.inputs.append(WBMPort(name: name(), value: index))
    }
    let firstConstant = graph.values.count
    graph.values += constants
    var known = Array(graph.inputs.map(\.value)) + Array(firstConstant..<graph.values.count)
    for value in graph.inputs.count..<max(firstConstant, graph.inputs.count) {
      graph.nodes.append(node(reading: known, writing: value, level: level))
      known.append(value)
    }
    graph.outputs = known.filter { _ in flag() }.map { WBMPort(name: name(), value: $0) }
    return graph
  }

  mutating func value(isConstant: Bool) -> WBMValue {
    guard isConstant else {
      return WBMValue(
        name: name(), elementType: elementType(),
        dimensions: list(0...3) {
          [.fixed($0.number(9)), .symbol($0.name()), .unknown][$0.number(2)]
        })
    }
    let index = tensor()
    return WBMValue(
      name: name(), elementType: tensors[index].elementType,
      dimensions: tensors[index].shape.map { .fixed($0) }, tensor: index)
  }

  mutating func node(reading known: [Int], writing value: Int, level: Int) -> WBMNode {
    WBMNode(
      kind: name(), version: 1 + number(300), name: name(), inputs: known.filter { _ in flag() },
      outputs: [value],
      attributes: list(0...4) { random in
        WBMAttribute(name: random.name(), value: random.attribute())
      },
      subgraphs: level < 3 && number(5) == 0 ? [graph(level: level + 1)] : [],
      scope: flag()
        ? WBMScope(layerPath: text(), className: text(), call: number(3), role: text()) : nil)
  }

  mutating func attribute() -> WBMAttribute.Value {
    switch number(6) {
    case 0: .integer(Int64(bitPattern: generator.next()))
    case 1: .real(real())
    case 2: .boolean(flag())
    case 3: .text(text())
    case 4: .integers(list(0...3) { Int64(bitPattern: $0.generator.next()) })
    case 5: .reals(list(0...3) { $0.real() })
    default: .texts(list(0...3) { $0.text() })
    }
  }

  /// Adds a tensor and returns its position.
  mutating func tensor() -> Int {
    tensors.append(
      WBMTensor(name: name(), elementType: elementType(), shape: list(0...3) { $0.number(4) }))
    return tensors.count - 1
  }

  // MARK: Values

  mutating func number(_ largest: Int) -> Int { Int.random(in: 0...largest, using: &generator) }

  mutating func flag() -> Bool { Bool.random(using: &generator) }

  mutating func elementType() -> ElementType {
    ElementType.allCases[number(ElementType.allCases.count - 1)]
  }

  mutating func real() -> Double {
    [0, 1, .infinity, .greatestFiniteMagnitude, Double(number(1000)) / 7][number(4)]
  }

  mutating func text() -> String {
    ["", "a", "größer als", "日本語", "👍🏽 e\u{301}", String(repeating: "long ", count: 40)][number(5)]
  }

  /// A name that no other has.
  mutating func name() -> String {
    counter += 1
    return ["n", "ñ/", "名 "][number(2)] + "\(counter)"
  }

  mutating func optional<Value>(_ make: (inout Self) -> Value) -> Value? {
    flag() ? make(&self) : nil
  }

  mutating func list<Element>(
    _ counts: ClosedRange<Int>, _ make: (inout Self) -> Element
  ) -> [Element] {
    let count = Int.random(in: counts, using: &generator)
    return (0..<count).map { _ in make(&self) }
  }
}
