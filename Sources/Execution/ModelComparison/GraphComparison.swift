import Bytes
package import GraphIR
import LayerCatalog
import Verifier

/// Compares the computations of two graphs without running them: operators are paired by structure,
/// and weights, whose axis order does not depend on the source, are compared element by element.
///
/// The order of image axes and pass-through nodes do not matter, nor do names unless they are
/// requested.
package struct GraphComparison {
  private let first: ComparableGraph
  private let second: ComparableGraph
  private let usesNames: Bool
  private var result = ModelDifferences(
    items: [], pairedOperators: 0, comparedWeights: 0, comparedNumbers: 0)

  /// Compares two graphs.
  ///
  /// - Parameter usesNames: Whether operators are paired by their layers' names, and differing
  ///   names of inputs and outputs count.
  package static func differences(
    _ first: Graph, _ second: Graph, usesNames: Bool
  ) -> ModelDifferences {
    var comparison = GraphComparison(
      first: ComparableGraph(first), second: ComparableGraph(second), usesNames: usesNames)
    comparison.compare()
    return comparison.result
  }

  private init(first: ComparableGraph, second: ComparableGraph, usesNames: Bool) {
    self.first = first
    self.second = second
    self.usesNames = usesNames
  }

  private mutating func compare() {
    let pairs = usesNames ? pairsByName() : pairsByStructure()
    result.pairedOperators = pairs.count
    let partners = Dictionary(
      pairs.map { ($0.first, $0.second) }, uniquingKeysWith: { first, _ in first })
    let taken = Set(pairs.map(\.second))
    var (next, nextSecond) = (0, 0)
    var compared: Set<[Int]> = []
    for pair in pairs.sorted(by: { $0.first < $1.first }) {
      noteUnpaired(next..<pair.first, in: first, isFirst: true)
      if nextSecond <= pair.second {
        noteUnpaired(nextSecond..<pair.second, in: second, isFirst: false, except: taken)
        nextSecond = pair.second + 1
      }
      next = pair.first + 1
      compareNodes(pair.first, pair.second, partners, &compared)
    }
    noteUnpaired(next..<first.nodes.count, in: first, isFirst: true)
    noteUnpaired(nextSecond..<second.nodes.count, in: second, isFirst: false, except: taken)
    comparePorts(first.graph.inputs, second.graph.inputs, "input")
    comparePorts(first.graph.outputs, second.graph.outputs, "output")
    compareOutputOrigins(partners)
  }

  // MARK: Pairs

  private func pairsByStructure() -> [(first: Int, second: Int)] {
    Alignment(first.nodes.map(\.operation.kind), second.nodes.map(\.operation.kind)).pairs
  }

  private func pairsByName() -> [(first: Int, second: Int)] {
    let positions = Dictionary(
      second.nodes.indices.map { (second.nodes[$0].name, $0) },
      uniquingKeysWith: { first, _ in first })
    return first.nodes.indices.compactMap { position in
      positions[first.nodes[position].name].map { (position, $0) }
    }
  }

  private mutating func noteUnpaired(
    _ positions: Range<Int>, in graph: ComparableGraph, isFirst: Bool,
    except taken: Set<Int> = []
  ) {
    for position in positions where isFirst || !taken.contains(position) {
      let layer = graph.layer(position)
      result.items.append(
        ModelDifferences.Item(
          .structure, first: isFirst ? layer : nil, second: isFirst ? nil : layer,
          "\(graph.nodes[position].operation.kind) is only in the \(isFirst ? "first" : "second")"))
    }
  }

  // MARK: Nodes

  private mutating func compareNodes(
    _ position: Int, _ otherPosition: Int, _ partners: [Int: Int], _ compared: inout Set<[Int]>
  ) {
    let (node, otherNode) = (first.nodes[position], second.nodes[otherPosition])
    func note(_ kind: ModelDifferences.Item.Kind, _ reason: String, _ difference: TensorDifference?)
    {
      result.items.append(
        ModelDifferences.Item(
          kind, first: first.layer(position), second: second.layer(otherPosition), reason,
          difference: difference))
    }
    let folding = foldingDifference(node, otherNode)
    let operation = first.operation(position)
    if folding == nil,
      let reason = Self.settingsDifference(operation, second.operation(otherPosition))
    {
      note(.setting, reason, nil)
    }
    for (subgraph, other) in zip(node.operation.subgraphs, otherNode.operation.subgraphs) {
      result.items +=
        Self.differences(subgraph.graph, other.graph, usesNames: usesNames).items
    }
    if node.quantization != otherNode.quantization {
      let types = [node, otherNode].map { $0.quantization?.formatted ?? "floats" }
      note(.setting, "is computed by \(types[0]), and in the second by \(types[1])", nil)
    }
    if let folding {
      note(.weight, "is folded: each channel's factor and offset agree within \(folding)", nil)
      result.items[result.items.count - 1].counts = false
    }
    if folding == nil, node.inputs.count != otherNode.inputs.count {
      note(.structure, "takes \(node.inputs.count) and \(otherNode.inputs.count) inputs", nil)
    }
    for (index, (id, otherID)) in zip(node.inputs, otherNode.inputs).enumerated() {
      let (origin, otherOrigin) = (first.origin(of: id), second.origin(of: otherID))
      guard case .weight(let weight) = origin, case .weight(let otherWeight) = otherOrigin else {
        if !isPaired(origin, otherOrigin, partners) {
          note(
            .structure,
            "takes its input from \(first.describe(origin)), and in the second from "
              + "\(second.describe(otherOrigin))", nil)
        }
        continue
      }
      guard compared.insert([weight.index, otherWeight.index]).inserted, folding == nil else {
        continue
      }
      let name = node.operation.slot(index)?.name ?? "weight"
      if let (reason, difference) = compareWeights(weight, otherWeight) {
        note(.weight, "\(name) \(reason)", difference)
      }
    }
  }

  /// Just above the rounding error of a factor that is computed in float32.
  private static let foldingTolerance = 1e-6

  /// Returns the difference between two batch normalizations that have different statistics but
  /// compute the same up to rounding; `nil` otherwise.
  private func foldingDifference(_ node: Node, _ other: Node) -> Double? {
    guard let form = NormalizationForm(node, in: first.graph),
      let otherForm = NormalizationForm(other, in: second.graph),
      form.hasDifferentStatistics(from: otherForm)
    else { return nil }
    let difference = form.difference(from: otherForm)
    return difference <= Self.foldingTolerance ? difference : nil
  }

  private func isPaired(
    _ origin: ComparableGraph.Origin, _ other: ComparableGraph.Origin, _ partners: [Int: Int]
  ) -> Bool {
    guard case .node(let position, let output) = origin,
      case .node(let otherPosition, let otherOutput) = other
    else { return origin == other }
    return partners[position] == otherPosition && output == otherOutput
  }

  /// Describes the differences between two operators' settings; `nil` if there are none. The order
  /// of the image axes does not matter, nor does a difference beyond float32's precision, to which
  /// some writers round, nor what training alone uses.
  private static func settingsDifference(
    _ operation: any Operator, _ other: any Operator
  ) -> String? {
    guard operation.kind == other.kind else { return "\(operation.kind) and \(other.kind)" }
    let operation = withoutTraining(operation)
    let otherAttributes = withoutTraining(other).attributes.roundedToFloat
    let differences = ([operation] + layoutVariants(of: operation)).map {
      changes(in: $0.attributes.roundedToFloat, otherAttributes)
    }
    return differences.min { $0.count < $1.count }.flatMap {
      $0.isEmpty ? nil : $0.joined(separator: ", ")
    }
  }

  /// Returns the same operator without what only training uses.
  private static func withoutTraining(_ operation: any Operator) -> any Operator {
    guard let operation = operation as? BatchNormalization else { return operation }
    return BatchNormalization(
      axis: operation.axis, epsilon: operation.epsilon, hasScale: operation.hasScale,
      hasCenter: operation.hasCenter)
  }

  /// Returns the same operator for images with the other axis order.
  private static func layoutVariants(of operation: any Operator) -> [any Operator] {
    guard let operation = operation as? any CatalogOperator else { return [] }
    return (3...5).flatMap { rank in
      DataLayout.allCases.compactMap { layout -> (any Operator)? in
        operation.permutingAxes(
          layout == .channelsLast
            ? layout.axesToChannelsFirst(rank: rank)
            : layout.opposite.axesFromChannelsFirst(rank: rank))
      }
    }
  }

  private static func changes(in attributes: Attributes, _ others: Attributes) -> [String] {
    guard attributes != others else { return [] }
    let changes = zip(attributes.entries, others.entries).filter { $0 != $1 }.map { one, other in
      "\(one.name) is \(one.value.formatted) and \(other.value.formatted)"
    }
    return changes.isEmpty ? ["has other settings"] : changes
  }

  // MARK: Weights

  private mutating func compareWeights(
    _ id: ValueID, _ other: ValueID
  ) -> (String, TensorDifference?)? {
    guard let tensor = first.graph[id].constant,
      let otherTensor = second.graph[other].constant
    else {
      return ("is not a weight in both", nil)
    }
    result.comparedWeights += 1
    result.comparedNumbers += tensor.count
    guard tensor.shape == otherTensor.shape else {
      return ("has the shape \(tensor.shape) and \(otherTensor.shape)", nil)
    }
    guard tensor.elementType == otherTensor.elementType else {
      let types = "is \(tensor.elementType.rawValue) and \(otherTensor.elementType.rawValue)"
      return (types, TensorDifference(actual: tensor, expected: otherTensor))
    }
    let count = tensor.differingCount(from: otherTensor)
    guard count > 0 else { return nil }
    return (
      "differs in \(count) of \(tensor.count) numbers",
      TensorDifference(actual: tensor, expected: otherTensor)
    )
  }

  // MARK: Ports

  private mutating func comparePorts(_ ports: [Port], _ others: [Port], _ what: String) {
    if ports.count != others.count {
      note(.port, "\(ports.count) \(what)s and \(others.count)")
    }
    for (port, other) in zip(ports, others) {
      let (type, otherType) = (first.graph[port.value].type, second.graph[other.value].type)
      if type.elementType != otherType.elementType
        || !Self.isSame(type.shape, otherType.shape)
      {
        note(.port, "the \(what) \(port.name) is \(type) and \(other.name) \(otherType)")
      }
      if usesNames, port.name != other.name {
        note(.port, "the \(what) is named \(port.name) and \(other.name)")
      }
    }
  }

  /// Whether two shapes are the same apart from the order of the image axes, the names of unknown
  /// dimensions, and a batch of one where the other batch is unknown or missing (Core ML).
  private static func isSame(_ shape: [Dimension], _ other: [Dimension]) -> Bool {
    if shape.count == other.count + 1, (shape[0].value ?? 1) == 1 {
      return isSame(shape, [1] + other)
    }
    if other.count == shape.count + 1 { return isSame(other, shape) }
    var (dimensions, others) = (shape.map(\.value), other.map(\.value))
    if let batch = dimensions.first, let otherBatch = others.first,
      (batch ?? 1, otherBatch ?? 1) == (1, 1)
    {
      (dimensions[0], others[0]) = (1, 1)
    }
    if dimensions == others { return true }
    guard shape.count >= 3, shape.count == other.count else { return false }
    let last = others.count - 1
    return dimensions == [others[0], others[last]] + others[1..<last]
      || others == [dimensions[0], dimensions[last]] + dimensions[1..<last]
  }

  private mutating func compareOutputOrigins(_ partners: [Int: Int]) {
    for (port, other) in zip(first.graph.outputs, second.graph.outputs) {
      let (origin, otherOrigin) = (
        first.origin(of: port.value), second.origin(of: other.value)
      )
      if !isPaired(origin, otherOrigin, partners) {
        note(
          .structure,
          "the output \(port.name) is what \(first.describe(origin)) gives, and \(other.name) what "
            + "\(second.describe(otherOrigin)) gives")
      }
    }
  }

  private mutating func note(_ kind: ModelDifferences.Item.Kind, _ reason: String) {
    result.items.append(ModelDifferences.Item(kind, reason))
  }
}

extension AttributeValue {
  /// The value for messages.
  fileprivate var formatted: String {
    switch self {
    case .integer(let value): "\(value)"
    case .real(let value): "\(value)"
    case .boolean(let value): "\(value)"
    case .string(let value): value
    case .integers(let values): "\(values)"
    case .reals(let values): "\(values)"
    case .strings(let values): "\(values)"
    }
  }
}

extension InputQuantization {
  /// The quantization for messages.
  fileprivate var formatted: String {
    switch elements {
    case .integers(let integers):
      "8-bit integers (input \(input), scale \(integers.scale), zero point \(integers.zeroPoint))"
    case .bfloat16: "bfloat16 (input \(input))"
    }
  }
}
