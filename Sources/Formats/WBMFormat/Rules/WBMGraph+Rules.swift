import Bytes

extension WBMGraph {
  /// The maximum nesting level of subgraphs; the outermost graph is level 1.
  static let levelLimit = 24

  /// Checks a graph before it is read: its names, its indices, the order of its values and
  /// attributes, and that each value has exactly one origin.
  ///
  /// - Parameters:
  ///   - tensors: The tensors that constants may refer to; updated with the references.
  ///   - level: The nesting level of the graph; the outermost is 1.
  func checkRules(_ tensors: inout TensorReferences, level: Int) throws(WeighbridgeError) {
    guard level <= Self.levelLimit else {
      throw .limitExceeded("graphs are nested deeper than the limit of \(Self.levelLimit)")
    }
    try Names.check(values.map(\.name), of: "values")
    try Names.check(nodes.map(\.name), of: "nodes")
    try Names.check(inputs.map(\.name), of: "graph inputs")
    try Names.check(outputs.map(\.name), of: "graph outputs")
    var order = try ValueOrder(self)
    try checkConstants(&tensors)
    for (index, node) in nodes.enumerated() {
      try locating({ $0.at(layer: "#\(index) \(node.name) (\(node.kind))") }) {
        () throws(WeighbridgeError) in
        try node.checkRules(&order)
        for graph in node.subgraphs { try graph.checkRules(&tensors, level: level + 1) }
      }
    }
    for port in outputs { try order.check(port.value, by: "output \(port.name)") }
    try order.finish()
  }

  /// Checks each constant against its tensor, and the symbols of all values.
  private func checkConstants(_ tensors: inout TensorReferences) throws(WeighbridgeError) {
    for (index, value) in values.enumerated() {
      guard !value.dimensions.contains(.symbol("")) else {
        throw WBMHeader.malformed(
          "value #\(index) \(value.name) has a dimension with an empty name")
      }
      guard let tensorIndex = value.tensor else { continue }
      let tensor = try tensors.refer(to: tensorIndex, by: "value #\(index) \(value.name)")
      guard value.elementType == tensor.elementType,
        value.dimensions == tensor.shape.map(WBMDimension.fixed)
      else {
        throw WBMHeader.malformed(
          "value #\(index) \(value.name) differs in type or shape from "
            + tensor.title(tensorIndex))
      }
    }
  }
}

extension WBMNode {
  fileprivate func checkRules(_ order: inout ValueOrder) throws(WeighbridgeError) {
    guard !kind.isEmpty, version >= 1 else {
      throw WBMHeader.malformed(
        "has the kind \"\(kind)\" in version \(version), expected a name "
          + "and a version from 1")
    }
    try Names.check(attributes.map(\.name), of: "attributes")
    try Names.checkSorted(attributes.map(\.name), of: "attributes")
    for value in inputs { try order.read(value, by: "its input") }
    for value in outputs { try order.compute(value) }
  }
}

/// The order of a graph's values: its inputs, its constants in the order in which nodes first read
/// them, and the values that its nodes compute.
private struct ValueOrder {
  private let values: [WBMValue]
  private let constants: Range<Int>
  /// The next constant that has not been read.
  private var nextConstant: Int
  /// The next value to be computed.
  private var next: Int

  /// - Throws: ``WeighbridgeError/Code/malformed`` when the inputs are not the first values.
  init(_ graph: WBMGraph) throws(WeighbridgeError) {
    values = graph.values
    for (index, port) in graph.inputs.enumerated() {
      guard values.indices.contains(port.value) else {
        throw Self.missing(port.value, "input \(port.name)", values)
      }
      guard port.value == index, values[index].tensor == nil else {
        throw WBMHeader.malformed(
          "input \(port.name) is value #\(port.value) \(values[port.value].name), which is a "
            + "constant, is computed by a node, or is out of order: expected #\(index)")
      }
    }
    let first = graph.inputs.count
    next = values[first...].firstIndex { $0.tensor == nil } ?? values.count
    constants = first..<next
    nextConstant = first
    if let late = values[next...].firstIndex(where: { $0.tensor != nil }) {
      throw WBMHeader.malformed(
        "value #\(late) \(values[late].name) is a constant after values that nodes compute")
    }
  }

  /// Checks that a value has already been computed or is an input or a constant.
  func check(_ value: Int, by reader: String) throws(WeighbridgeError) {
    guard values.indices.contains(value) else { throw Self.missing(value, reader, values) }
    guard value < next else {
      throw WBMHeader.malformed(
        "\(reader) is value #\(value) \(values[value].name), which nothing before it computes")
    }
  }

  /// Records that a node reads a value.
  mutating func read(_ value: Int, by reader: String) throws(WeighbridgeError) {
    try check(value, by: reader)
    guard constants.contains(value), value >= nextConstant else { return }
    guard value == nextConstant else {
      throw WBMHeader.malformed(
        "\(reader) is the constant #\(value) \(values[value].name), which is read before "
          + "#\(nextConstant) \(values[nextConstant].name) and so must come before it")
    }
    nextConstant += 1
  }

  /// Records that a node computes a value.
  mutating func compute(_ value: Int) throws(WeighbridgeError) {
    guard values.indices.contains(value) else { throw Self.missing(value, "its output", values) }
    guard value == next else {
      throw WBMHeader.malformed(
        "its output is value #\(value) \(values[value].name), which "
          + (value < next
            ? "is an input, a constant or already computed" : "is out of order: expected #\(next)"))
    }
    next += 1
  }

  /// Checks that every value has an origin, and that every constant is read.
  func finish() throws(WeighbridgeError) {
    guard next == values.count else {
      throw WBMHeader.malformed("value #\(next) \(values[next].name) is never computed")
    }
    guard nextConstant == constants.upperBound else {
      throw WBMHeader.malformed(
        "no node reads the constant #\(nextConstant) \(values[nextConstant].name)")
    }
  }

  private static func missing(
    _ value: Int, _ user: String, _ values: [WBMValue]
  ) -> WeighbridgeError {
    WBMHeader.malformed("\(user) is value #\(value), but there are \(values.count) values")
  }
}
