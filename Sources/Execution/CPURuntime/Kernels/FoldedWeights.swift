import GraphIR
import LayerCatalog

/// A normalization folded into the weights of the preceding operator: factors for the kernel's
/// output channels, and the resulting bias.
struct FoldedWeights {
  /// A factor for each output channel; empty without normalization.
  private(set) var scales: [Float] = []
  /// The bias, if there is one.
  private(set) var bias: [Float]?

  /// - Parameters:
  ///   - bias: The operator's own bias.
  ///   - channels: The number of output channels.
  /// - Returns: `nil` if a weight is not constant.
  init?(_ group: NodeGroup, bias id: ValueID?, channels: Int, _ graph: Graph) {
    var numbers: [Double]?
    if let id {
      guard let constant = graph[id].constant else { return nil }
      numbers = constant.doubles
    }
    if let (operation, ids) = group.normalization {
      var weights = ids.compactMap { graph[$0].constant?.doubles }
      guard weights.count == ids.count, weights.allSatisfy({ $0.count == channels }) else {
        return nil
      }
      let ones = [Double](repeating: 1, count: channels)
      let gamma = operation.hasScale ? weights.removeFirst() : ones
      let beta = operation.hasCenter ? weights.removeFirst() : ones.map { _ in 0 }
      let (mean, variance) = (weights[0], weights[1])
      let factors = zip(gamma, variance).map { $0 / ($1 + operation.epsilon).squareRoot() }
      let operatorBias = numbers ?? ones.map { _ in 0 }
      numbers = factors.indices.map { (operatorBias[$0] - mean[$0]) * factors[$0] + beta[$0] }
      scales = factors.map(Float.init)
    }
    bias = numbers.map { $0.map(Float.init) }
  }
}
