package import Bytes
package import GraphIR
package import LayerCatalog

/// A graph whose batch normalizations are folded into the preceding weights where possible.
///
/// With the factor f = gamma / sqrt(variance + epsilon) of each channel, a kernel k becomes f k,
/// and a bias b becomes f (b - mean) + beta. That is done after a convolution or a dense layer
/// whose output nothing else reads, when all weights are constant; other normalizations stay. The
/// factors are computed in `Double` and the weights rounded once.
package struct BatchNormalizationFolding: Sendable {
  /// The graph.
  package let graph: Graph

  /// Folds what can be folded.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` for a graph that could not be built anew.
  /// - Complexity: Linear in the number of values and in the folded weights.
  package init(_ original: Graph) throws(WeighbridgeError) {
    let pairs = Self.pairs(original)
    var copy = try GraphCopy(withInputsOf: original)
    for (position, node) in original.nodes.enumerated() where !pairs.values.contains(position) {
      if let linearPosition = pairs[position] {
        let linear = original.nodes[linearPosition]
        copy[node.outputs[0]] = try Self.add(
          linear, node, input: copy.copy(of: linear.inputs[0]), original, to: &copy.builder)
      } else {
        try copy.add(node)
      }
    }
    graph = try copy.finish()
  }

  /// The position of the preceding node, by the position of each normalization that can be folded.
  private static func pairs(_ graph: Graph) -> [Int: Int] {
    let (producers, uses) = (graph.producers, graph.useCounts)
    var pairs: [Int: Int] = [:]
    for (position, node) in graph.nodes.enumerated() {
      guard let normalization = node.operation as? BatchNormalization,
        let producer = producers[node.inputs[0]], uses[node.inputs[0]] == 1,
        normalization.axis == channelAxis(graph.nodes[producer], graph),
        (graph.nodes[producer].inputs + node.inputs).dropFirst().allSatisfy({ id in
          graph[id].constant != nil || id == node.inputs[0]
        })
      else { continue }
      pairs[position] = producer
    }
    return pairs
  }

  /// The axis of a node's output channels, which are the kernel's first axis; `nil` for a node
  /// without such a kernel.
  private static func channelAxis(_ node: Node, _ graph: Graph) -> Int? {
    let rank = graph[node.outputs[0]].type.rank
    switch node.operation {
    case let convolution as Convolution: return convolution.layout.channelAxis(rank: rank)
    case is Dense: return rank - 1
    default: return nil
    }
  }

  /// Adds a convolution or dense layer with a normalization folded into its weights.
  private static func add(
    _ linear: Node, _ node: Node, input: ValueID, _ graph: Graph, to builder: inout GraphBuilder
  ) throws(WeighbridgeError) -> ValueID? {
    let weights = linear.inputs.dropFirst().compactMap { graph[$0].constant }
    let statistics = node.inputs.dropFirst().compactMap { graph[$0].constant }
    guard let kernel = weights.first,
      let normalization = node.operation as? BatchNormalization
    else { return nil }
    let affine = normalization.affine(statistics.map(\.doubles))
    let bias = weights.count > 1 ? weights[1].doubles : affine.factor.map { _ in 0 }
    let kernelSize = kernel.count / max(1, affine.factor.count)
    let elements = kernel.doubles.enumerated().map { $1 * affine.factor[$0 / kernelSize] }
    let biases = bias.indices.map { bias[$0] * affine.factor[$0] + affine.offset[$0] }
    let type = kernel.elementType
    let inputs = [
      input,
      try builder.addConstant(
        Tensor(type, shape: kernel.shape, elements), named: "\(linear.name)/folded_kernel"),
      try builder.addConstant(
        Tensor(type, shape: [biases.count], biases), named: "\(linear.name)/folded_bias"),
    ]
    return try builder.addNode(
      withBias(linear.operation), named: linear.name, inputs: inputs, source: linear.source,
      outputNames: [graph[node.outputs[0]].name])[0]
  }

  private static func withBias(_ operation: any Operator) -> any Operator {
    guard let convolution = operation as? Convolution else { return Dense(hasBias: true) }
    return Convolution(
      window: convolution.window, groups: convolution.groups, hasBias: true,
      layout: convolution.layout)
  }
}

extension BatchNormalization {
  /// The normalization as one factor and one offset for each channel: y = factor x + offset.
  ///
  /// - Parameter weights: The operator's weights, in the order of its inputs.
  package func affine(_ weights: [[Double]]) -> (factor: [Double], offset: [Double]) {
    let (mean, variance) = (weights[weights.count - 2], weights[weights.count - 1])
    let ones = [Double](repeating: 1, count: mean.count)
    let gamma = hasScale ? weights[0] : ones
    let beta = hasCenter ? weights[hasScale ? 1 : 0] : ones.map { _ in 0 }
    let factor = zip(gamma, variance).map { $0 / ($1 + epsilon).squareRoot() }
    return (factor, zip(beta, zip(mean, factor)).map { $0 - $1.0 * $1.1 })
  }
}
