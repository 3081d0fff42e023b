import Bytes
import GraphIR
import LayerCatalog
import WBMFormat

extension WBMGraph {
  /// Creates the record of a graph. The tensor table begins with the weights, in the order of
  /// ``GraphIR/Graph/storedWeights``.
  ///
  /// The values are in the order of the format: inputs, weights in the order in which nodes first
  /// use them, outputs of the nodes.
  init(_ graph: Graph) {
    self.init()
    let computed = graph.nodes.flatMap { $0.outputs }
    var indices = [Int](repeating: 0, count: graph.values.count)
    var tensorCount = 0
    for index in (graph.inputs.map(\.value) + graph.storedWeights + computed).map(\.index) {
      let value = graph.values[index]
      indices[index] = values.count
      var record = WBMValue()
      record.name = value.name
      record.elementType = value.type.elementType
      record.dimensions = value.type.shape.map { WBMDimension($0) }
      if value.constant != nil {
        record.tensor = tensorCount
        tensorCount += 1
      }
      values.append(record)
    }
    nodes = graph.nodes.map { WBMNode($0, indices) }
    inputs = graph.inputs.map { WBMPort(name: $0.name, value: indices[$0.value.index]) }
    outputs = graph.outputs.map { WBMPort(name: $0.name, value: indices[$0.value.index]) }
  }

  /// The types of the values as stored in the file.
  var valueTypes: [TensorType] { values.map(\.type) }

  /// The stored graph, checked node by node.
  ///
  /// - Parameters:
  ///   - tensors: The tensor table.
  ///   - catalog: The operators that nodes may name.
  /// - Throws: ``WeighbridgeError/Code/malformed`` if values, weights and nodes do not match each
  ///   other or their operators' definitions; ``WeighbridgeError/Code/unsupported`` for unknown
  ///   operators.
  func graph(
    tensors: [Tensor], catalog: Catalog
  ) throws(WeighbridgeError) -> Graph {
    var builder = GraphBuilder()
    var ids = [ValueID?](repeating: nil, count: values.count)
    try addInputs(to: &builder, &ids)
    for (index, value) in values.enumerated() {
      guard let tensor = value.tensor else { continue }
      ids[index] = try builder.addWeight(value.name, tensors[tensor])
    }
    for node in nodes { try add(node, tensors, catalog, to: &builder, &ids) }
    if let index = ids.firstIndex(of: nil) {
      throw .malformed("nothing makes the value \(values[index].name)")
    }
    let ports = try outputs.map { (port) throws(WeighbridgeError) in
      Port(name: port.name, value: try id(port.value, ids))
    }
    return try builder.finish(outputs: ports).renamingPorts(
      inputs: inputs.map(\.name), outputs: outputs.map(\.name))
  }

  private func addInputs(
    to builder: inout GraphBuilder, _ ids: inout [ValueID?]
  ) throws(WeighbridgeError) {
    for port in inputs {
      guard values[port.value].tensor == nil, ids[port.value] == nil else {
        throw .malformed("the input \(port.name) is a weight, or an input already")
      }
      ids[port.value] = try builder.addInput(values[port.value].name, values[port.value].type)
    }
  }

  private func add(
    _ node: WBMNode, _ tensors: [Tensor], _ catalog: Catalog, to builder: inout GraphBuilder,
    _ ids: inout [ValueID?]
  ) throws(WeighbridgeError) {
    let source = node.scope?.described ?? SourceScope(layer: node.name, className: node.kind)
    try locating({ $0.at(layer: node.name) }) { () throws(WeighbridgeError) in
      let subgraphs = try node.subgraphs.map { (subgraph) throws(WeighbridgeError) in
        try Subgraph(subgraph.graph(tensors: tensors, catalog: catalog))
      }
      let operation = try catalog.makeStoredOperator(
        kind: node.kind, version: node.version,
        attributes: Attributes(node.attributes.map { (name: $0.name, value: .init($0.value)) }),
        subgraphs: subgraphs)
      var inputs: [ValueID] = []
      for input in node.inputs { inputs.append(try id(input, ids)) }
      let results = try builder.addNode(
        operation, named: node.name, inputs: inputs, source: source,
        outputNames: node.outputs.map { values[$0].name })
      try OperatorDefinition.checkInputs(of: operation, inputs.map { builder.type(of: $0) })
      guard results.count == node.outputs.count else {
        throw .malformed(
          "\(node.kind) makes \(results.count) outputs, and has \(node.outputs.count)")
      }
      for (output, id) in zip(node.outputs, results) {
        guard ids[output] == nil else {
          throw .malformed("the value \(values[output].name) is made twice")
        }
        ids[output] = id
      }
    }
  }

  private func id(_ index: Int, _ ids: [ValueID?]) throws(WeighbridgeError) -> ValueID {
    guard let id = ids[index] else {
      throw .malformed("the value \(values[index].name) is used before anything makes it")
    }
    return id
  }
}

extension Graph {
  /// The weights in the order in which nodes first use them, which is their order in files.
  var storedWeights: [ValueID] {
    var seen: Set<ValueID> = []
    return nodes.flatMap(\.inputs).filter { self[$0].constant != nil && seen.insert($0).inserted }
  }
}

extension WBMValue {
  /// The type as stored in the file.
  fileprivate var type: TensorType {
    TensorType(elementType, dimensions.map { Dimension($0) })
  }
}

extension WBMDimension {
  fileprivate init(_ dimension: Dimension) {
    switch dimension {
    case .fixed(let value): self = .fixed(value)
    case .symbolic(let name): self = .symbol(name)
    case .unknown: self = .unknown
    }
  }
}

extension Dimension {
  fileprivate init(_ record: WBMDimension) {
    switch record {
    case .fixed(let value): self = .fixed(value)
    case .symbol(let name): self = .symbolic(name)
    case .unknown: self = .unknown
    }
  }
}

extension WBMNode {
  /// - Parameter indices: The index in the file of each of the graph's values.
  fileprivate init(_ node: Node, _ indices: [Int]) {
    self.init()
    kind = node.operation.kind
    version = type(of: node.operation).version
    name = node.name
    inputs = node.inputs.map { indices[$0.index] }
    outputs = node.outputs.map { indices[$0.index] }
    attributes = node.operation.attributes.entries.map {
      WBMAttribute(name: $0.name, value: .init($0.value))
    }
    subgraphs = node.operation.subgraphs.map { WBMGraph($0.graph) }
    scope = WBMScope(node.source)
  }
}

extension WBMScope: DescriptionRecord {
  static let empty = SourceScope(layer: "", className: "")

  mutating func transfer(_ described: inout SourceScope, _ direction: Transfer) {
    direction.value(&layerPath, &described.layer)
    direction.value(&className, &described.className)
    direction.value(&call, &described.call)
    direction.value(&role, &described.role)
  }
}

extension WBMAttribute.Value {
  fileprivate init(_ value: AttributeValue) {
    switch value {
    case .integer(let value): self = .integer(Int64(value))
    case .real(let value): self = .real(value)
    case .boolean(let value): self = .boolean(value)
    case .string(let value): self = .string(value)
    case .integers(let values): self = .integers(values.map(Int64.init))
    case .reals(let values): self = .reals(values)
    case .strings(let values): self = .strings(values)
    }
  }
}

extension AttributeValue {
  fileprivate init(_ value: WBMAttribute.Value) {
    switch value {
    case .integer(let value): self = .integer(Int(value))
    case .real(let value): self = .real(value)
    case .boolean(let value): self = .boolean(value)
    case .string(let value): self = .string(value)
    case .integers(let values): self = .integers(values.map { Int($0) })
    case .reals(let values): self = .reals(values)
    case .strings(let values): self = .strings(values)
    }
  }
}
