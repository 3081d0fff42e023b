import Bytes

extension WBMGraph {
  /// How deep subgraphs may nest; the outermost graph is level 1.
  static let levelLimit = 24

  /// Checks a graph: its names, its positions, and that each value comes from one place, before it
  /// is read.
  ///
  /// - Parameters:
  ///   - tensors: The tensors constants may name.
  ///   - isUsed: Receives `true` for each tensor that a constant names.
  ///   - level: How deep the graph is nested; the outermost is 1.
  func checkRules(
    tensors: [WBMTensor], isUsed: inout [Bool], level: Int
  ) throws(WeighbridgeError) {
    guard level <= Self.levelLimit else {
      throw WeighbridgeError(
        .limitExceeded, "graphs are nested deeper than the limit of \(Self.levelLimit)")
    }
    try Names.check(values.map(\.name), of: "values")
    try Names.check(nodes.map(\.name), of: "nodes")
    try Names.check(inputs.map(\.name), of: "graph inputs")
    try Names.check(outputs.map(\.name), of: "graph outputs")
    var isKnown = try constants(tensors: tensors, isUsed: &isUsed)
    for port in inputs { try define(port.value, by: "input \(port.name)", in: &isKnown) }
    for (index, node) in nodes.enumerated() {
      try locating({ $0.at(layer: "#\(index) \(node.name) (\(node.kind))") }) {
        () throws(WeighbridgeError) in
        try checkNode(node, isKnown: &isKnown)
        for graph in node.subgraphs {
          try graph.checkRules(tensors: tensors, isUsed: &isUsed, level: level + 1)
        }
      }
    }
    for port in outputs { try checkRead(port.value, by: "output \(port.name)", isKnown) }
    if let missing = isKnown.firstIndex(of: false) {
      throw WBMHeader.malformed("value #\(missing) \(values[missing].name) comes from nowhere")
    }
  }

  /// Which values are constants, each checked against its tensor.
  private func constants(
    tensors: [WBMTensor], isUsed: inout [Bool]
  ) throws(WeighbridgeError) -> [Bool] {
    var isConstant = [Bool](repeating: false, count: values.count)
    for (index, value) in values.enumerated() {
      if case .symbol("")? = value.dimensions.first(where: { $0 == .symbol("") }) {
        throw WBMHeader.malformed("value #\(index) \(value.name) has an axis with an empty name")
      }
      guard let position = value.tensor else { continue }
      guard tensors.indices.contains(position) else {
        throw WBMHeader.malformed(
          "value #\(index) \(value.name) is tensor #\(position), and there are \(tensors.count)")
      }
      let tensor = tensors[position]
      guard value.elementType == tensor.elementType,
        value.dimensions == tensor.shape.map(WBMDimension.fixed)
      else {
        throw WBMHeader.malformed(
          "value #\(index) \(value.name) has another type or shape than \(tensor.title(position))")
      }
      isConstant[index] = true
      isUsed[position] = true
    }
    return isConstant
  }

  private func checkNode(_ node: WBMNode, isKnown: inout [Bool]) throws(WeighbridgeError) {
    guard !node.kind.isEmpty, node.version >= 1 else {
      throw WBMHeader.malformed("has the kind \"\(node.kind)\" in version \(node.version)")
    }
    try Names.check(node.attributes.map(\.name), of: "attributes")
    for value in node.inputs { try checkRead(value, by: "its input", isKnown) }
    for value in node.outputs { try define(value, by: "its output", in: &isKnown) }
  }

  private func checkRead(
    _ value: Int, by what: String, _ isKnown: [Bool]
  ) throws(WeighbridgeError) {
    guard values.indices.contains(value) else { throw missing(value, what) }
    guard isKnown[value] else {
      throw WBMHeader.malformed(
        "\(what) is value #\(value) \(values[value].name), which nothing before it computes")
    }
  }

  private func define(
    _ value: Int, by what: String, in isKnown: inout [Bool]
  ) throws(WeighbridgeError) {
    guard values.indices.contains(value) else { throw missing(value, what) }
    guard !isKnown[value] else {
      throw WBMHeader.malformed(
        "\(what) is value #\(value) \(values[value].name), which comes from elsewhere already")
    }
    isKnown[value] = true
  }

  private func missing(_ value: Int, _ what: String) -> WeighbridgeError {
    WBMHeader.malformed("\(what) is value #\(value), and there are \(values.count) values")
  }
}
