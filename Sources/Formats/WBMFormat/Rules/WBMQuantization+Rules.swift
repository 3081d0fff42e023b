import Bytes

extension WBMQuantization {
  /// Checks that scales and zero points are such, and belong to nodes of the graph in their order.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed``.
  func checkRules(_ graph: WBMGraph) throws(WeighbridgeError) {
    guard !nodes.isEmpty else { throw WBMHeader.malformed("the quantization has no node") }
    try Names.check(nodes.map(\.name), of: "quantized nodes")
    try Names.check(nodes.map(\.name), areAmong: graph.nodes.map(\.name), inOrderOf: "node")
    for node in nodes {
      let scale = Float(node.scale)
      guard Double(scale) == node.scale, scale > 0, scale.isNormal, (1 / scale).isNormal else {
        throw WBMHeader.malformed(
          "the quantized node \(node.name) has the scale \(node.scale), which is no normal binary32 "
            + "above 0 with such a reciprocal")
      }
      guard node.zeroPoint <= 255 else {
        throw WBMHeader.malformed(
          "the quantized node \(node.name) has the zero point \(node.zeroPoint), above 255")
      }
    }
  }
}
