import Bytes

@testable import WBMFormat

/// Generates random headers that follow all rules and between them use every field.
struct RandomHeader {
  var generator: SplitMix64
  private var counter = 0
  private var tensors: [WBMTensor] = []

  init(seed: UInt64) { generator = SplitMix64(seed: seed) }

  mutating func header() -> WBMHeader {
    let graph = graph(level: 1)
    let (inputs, outputs) = (graph.inputs, graph.outputs)
    let references = list(0...2) { $0.referenceSet(of: graph) }
    var description = description(inputs: inputs.map(\.name), outputs: outputs.map(\.name))
    for (index, port) in inputs.enumerated() where flag() {
      let (value, number) = (graph.values[port.value], real())
      guard value.canBeDefault, value.elementType.canHold(number) else { continue }
      description.inputs[index].defaultValue = number
    }
    return WBMHeader(
      graph: graph, tensors: tensors, description: description, provenance: provenance(),
      references: references, schema: list(0...3) { UInt8($0.number(255)) })
  }

  private mutating func referenceSet(of graph: WBMGraph) -> WBMReferenceSet {
    var sizes: [String: Int] = [:]
    let inputs = graph.inputs.map { port in
      let value = graph.values[port.value]
      return WBMNamedTensor(name: port.name, tensor: tensor(of: value, &sizes, isInput: true))
    }
    let outputs = graph.outputs.map { port in
      let value = graph.values[port.value]
      return WBMNamedTensor(name: port.name, tensor: tensor(of: value, &sizes, isInput: false))
    }
    return WBMReferenceSet(
      by: text(), inputs: inputs, outputs: outputs,
      layerOutputs: list((outputs.isEmpty ? 1 : 0)...2) {
        .init(name: $0.name(), tensor: $0.tensor())
      },
      tolerance: WBMTolerance(
        absolute: Double(number(9)) / 7, relative: Double(number(9)) / 7,
        source: WBMTolerance.Source.allCases[number(2)]))
  }

  // MARK: Graphs

  mutating func graph(level: Int) -> WBMGraph {
    var graph = WBMGraph()
    graph.values = list((level == 1 ? 1 : 0)...2) { random in random.value(isConstant: false) }
    graph.inputs = graph.values.indices.map { WBMPort(name: name(), value: $0) }
    graph.values += list(0...2) { random in random.value(isConstant: true) }
    let constants = Array(graph.inputs.count..<graph.values.count)
    graph.nodes.append(node(reading: constants, writing: [], level: level))
    for _ in 0..<number(4) {
      let known = graph.values.indices.filter { _ in flag() }
      graph.values.append(value(isConstant: false))
      graph.nodes.append(node(reading: known, writing: [graph.values.count - 1], level: level))
    }
    graph.outputs = graph.values.indices.filter { (level == 1 && $0 == 0) || flag() }.map {
      WBMPort(name: name(), value: $0)
    }
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

  mutating func node(reading inputs: [Int], writing outputs: [Int], level: Int) -> WBMNode {
    WBMNode(
      kind: name(), version: 1 + number(300), name: name(), inputs: inputs, outputs: outputs,
      attributes: list(0...4) { random in
        WBMAttribute(name: random.name(), value: random.attribute())
      }.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) },
      subgraphs: level < 3 && number(5) == 0 ? [graph(level: level + 1)] : [],
      scope: flag()
        ? WBMScope(layerPath: text(), className: text(), call: number(3), role: text()) : nil)
  }

  mutating func attribute() -> WBMAttribute.Value {
    switch number(6) {
    case 0: .integer(Int64(bitPattern: generator.next()))
    case 1: .real(real())
    case 2: .boolean(flag())
    case 3: .string(text())
    case 4: .integers(list(0...3) { Int64(bitPattern: $0.generator.next()) })
    case 5: .reals(list(0...3) { $0.real() })
    default: .strings(list(0...3) { $0.text() })
    }
  }

  /// Adds a tensor that a value can be, and returns its index.
  mutating func tensor(of value: WBMValue, _ sizes: inout [String: Int], isInput: Bool) -> Int {
    let shape = value.dimensions.map { dimension -> Int in
      switch dimension {
      case .fixed(let size): return size
      case .unknown: return number(3)
      case .symbol(let symbol):
        sizes[symbol] = sizes[symbol] ?? number(3)
        return sizes[symbol] ?? 0
      }
    }
    tensors.append(
      WBMTensor(
        name: name(), elementType: isInput ? value.elementType : elementType(), shape: shape))
    return tensors.count - 1
  }

  /// Adds a tensor and returns its index.
  mutating func tensor() -> Int {
    tensors.append(
      WBMTensor(name: name(), elementType: elementType(), shape: list(0...3) { $0.number(4) }))
    return tensors.count - 1
  }

  // MARK: Values

  mutating func number(_ maximum: Int) -> Int { Int.random(in: 0...maximum, using: &generator) }

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

  /// A unique name.
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
