import LayerCatalog

/// The cost of running a model, for one input at a time.
public struct ComputationCost: Hashable, Sendable {
  /// The number of floating-point operations: two for each product in a sum, one for each output
  /// element of all other operators.
  public let operationCount: Int
  /// The peak size of the activations in bytes, if each is released after its last use.
  public let activationByteCount: Int

  /// - Returns: `nil` when sizes other than the batch are unknown, or the numbers are too large.
  init?(_ graph: Graph) {
    let inputTypes = graph.inputs.map { port -> TensorType in
      var type = graph[port.value].type
      if !type.shape.isEmpty, type.shape[0].value == nil { type.shape[0] = 1 }
      return type
    }
    guard let types = try? graph.specialized(to: inputTypes),
      types.allSatisfy({ $0.fixedShape != nil }),
      let activations = try? graph.peakActivationSize(types),
      let count = graph.operationCount(types)
    else { return nil }
    operationCount = count
    activationByteCount = activations
  }
}

extension Model {
  /// Returns the number of floating-point operations of each layer for given inputs, by the layer's
  /// name; counted as in ``ComputationCost``.
  ///
  /// - Parameter arrays: See ``run(_:keepsLayers:options:)``.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when an array does not fit.
  public func operationCounts(
    for arrays: [NamedTensor]
  ) throws(WeighbridgeError) -> [String: Int] {
    let types = try content.graph.specialized(to: try inputTensors(arrays).map(\.type))
    var counts: [String: Int] = [:]
    for node in content.graph.nodes {
      counts[node.name, default: 0] += node.operationCount(types) ?? 0
    }
    return counts
  }
}
