import Bytes

extension WBMQuantization {
  /// Checks that scales and zero points are valid, and belong to inputs of the graph's nodes, in
  /// order.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed``.
  func checkRules(_ graph: WBMGraph) throws(WeighbridgeError) {
    let lists = [nodes.map(\.name), bfloat16Nodes.map(\.name)]
    guard !lists.joined().isEmpty else {
      throw WBMHeader.malformed("the quantization has no node")
    }
    try Names.check(Array(lists.joined()), of: "quantized nodes")
    for names in lists {
      try Names.check(names, areAmong: graph.nodes.map(\.name), inOrderOf: "node")
    }
    let counts = Dictionary(
      graph.nodes.map { ($0.name, $0.inputs.count) }, uniquingKeysWith: { first, _ in first })
    let inputs =
      nodes.map { ($0.name, $0.input) } + bfloat16Nodes.map { ($0.name, $0.input) }
    for (name, input) in inputs where input >= counts[name] ?? 0 {
      throw WBMHeader.malformed("the quantized node \(name) has no input \(input)")
    }
    for node in nodes {
      let scale = Float(node.scale)
      guard Double(scale) == node.scale, scale > 0, scale.isNormal, (1 / scale).isNormal else {
        throw WBMHeader.malformed(
          "the quantized node \(node.name) has the scale \(node.scale), which is not a positive, "
            + "normal binary32 number with a normal reciprocal")
      }
      guard node.zeroPoint <= 255 else {
        throw WBMHeader.malformed(
          "the quantized node \(node.name) has the zero point \(node.zeroPoint), above 255")
      }
    }
  }
}
