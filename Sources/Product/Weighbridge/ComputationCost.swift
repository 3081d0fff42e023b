import Bytes
import GraphIR
import LayerCatalog

/// What a model's run costs, for one input at a time.
public struct ComputationCost: Hashable, Sendable {
  /// The number of floating-point operations: two for each product that is summed up, one for each
  /// element of what anything else makes.
  public let operationCount: Int
  /// The most bytes that activations take at once when each is let go after its last use.
  public let activationByteCount: Int

  /// - Returns: `nil` when sizes besides the batch are open, or the numbers are too large.
  init?(_ graph: Graph) {
    let inputTypes = graph.inputs.map { port -> TensorType in
      var type = graph[port.value].type
      if !type.shape.isEmpty, type.shape[0].value == nil { type.shape[0] = 1 }
      return type
    }
    guard let types = try? graph.specialized(to: inputTypes),
      types.allSatisfy({ $0.fixedShape != nil }),
      let activations = try? graph.peakActivationSize(types)
    else { return nil }
    var total = 0
    for node in graph.nodes {
      guard let count = Self.operationCount(of: node, types),
        case let (sum, overflow) = total.addingReportingOverflow(count), !overflow
      else { return nil }
      total = sum
    }
    operationCount = total
    activationByteCount = activations
  }

  /// - Returns: `nil` when the number is too large.
  static func operationCount(of node: Node, _ types: [TensorType]) -> Int? {
    let shapes = (node.inputs + node.outputs).map { types[$0.index].fixedShape ?? [] }
    let (inputs, outputs) = (shapes.prefix(node.inputs.count), shapes.suffix(node.outputs.count))
    switch node.operation {
    // Each element of the output is a sum over the kernel but its first axis.
    case is Convolution, is Dense:
      return product([2] + outputs[outputs.startIndex] + inputs[1].dropFirst())
    // Each element of the input goes to the kernel but its first axis.
    case is TransposedConvolution: return product([2] + inputs[0] + inputs[1].dropFirst())
    case let operation as MatMul:
      let (first, output) = (inputs[0], outputs[outputs.startIndex])
      guard first.count >= 2 else { return nil }
      let summed = operation.transposeA ? first[first.count - 2] : first[first.count - 1]
      return product([2, summed] + output)
    // Each step multiplies by all weights.
    case let operation as any RecurrentOperator:
      let parts = RecurrentInputs(
        Array(inputs), operation.recurrence, stateCount: type(of: operation).stateNames.count)
      let weights = parts.weights.prefix(2).compactMap { product($0) }
      guard weights.count == 2, let steps = product([2] + parts.sequence.prefix(2)) else {
        return nil
      }
      return product([steps, weights[0] + weights[1]])
    default:
      return outputs.first.flatMap { product($0) } ?? 0
    }
  }

  private static func product(_ factors: [Int]) -> Int? {
    try? Checked.product(factors, of: "the number of operations")
  }
}

extension Model {
  /// The number of floating-point operations of each layer for given inputs, by the layer's name; counted
  /// as ``ComputationCost`` does.
  ///
  /// - Parameter arrays: As for ``run(_:keepsLayers:options:)``.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when an array does not fit.
  public func operationCounts(
    for arrays: [NamedTensor]
  ) throws(WeighbridgeError) -> [String: Int] {
    let types = try content.graph.specialized(to: try inputTensors(arrays).map(\.type))
    var counts: [String: Int] = [:]
    for node in content.graph.nodes {
      counts[node.name, default: 0] += ComputationCost.operationCount(of: node, types) ?? 0
    }
    return counts
  }
}
