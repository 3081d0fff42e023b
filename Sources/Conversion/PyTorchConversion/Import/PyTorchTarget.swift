import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

/// A weight of a graph, and the tensors of a PyTorch module that it is made of.
struct PyTorchTarget: Sendable {
  /// A tensor of a module.
  struct Source: Hashable, Sendable {
    /// The name of the layer in the graph.
    let layer: String
    /// The name in the module, such as `running_mean`.
    let role: String
    let shape: [Int]
  }

  /// The name in the graph.
  let name: String
  let sources: [Source]
  /// Makes the weight of the tensors.
  let make: @Sendable ([Tensor]) throws(WeighbridgeError) -> Tensor

  /// The weights of a graph in the order of its nodes, each once.
  static func all(of graph: Graph) -> [PyTorchTarget] {
    var (targets, known) = ([PyTorchTarget](), Set<String>())
    for node in graph.nodes {
      for target in all(of: node, graph) where known.insert(target.name).inserted {
        targets.append(target)
      }
    }
    let unused = graph.weights.filter { !known.contains($0.name) }
    return targets
      + unused.map { name, tensor in
        PyTorchTarget(
          name: name, sources: [Source(layer: "", role: "", shape: tensor.shape)]
        ) { $0[0].reshaped(tensor.shape) }
      }
  }

  private static func all(of node: Node, _ graph: Graph) -> [PyTorchTarget] {
    let weights = node.inputs.map { graph[$0] }.filter { $0.constant != nil }
    switch node.operation {
    case let operation as LSTM: return recurrent(operation, [0, 1, 2, 3], node, weights)
    case let operation as GRU: return recurrent(operation, [1, 0, 2], node, weights)
    case let operation as SimpleRNN: return recurrent(operation, [0], node, weights)
    default: break
    }
    let roles = roles(of: node.operation)
    return weights.enumerated().map { position, weight in
      let role = position < roles.count ? roles[position] : ""
      let shape = weight.constant?.shape ?? []
      let isVector = node.operation is PReLU
      return PyTorchTarget(
        name: weight.name,
        sources: [
          Source(layer: node.name, role: role, shape: isVector ? [shape.reduce(1, *)] : shape)
        ]
      ) { $0[0].reshaped(shape) }
    }
  }

  /// The names in PyTorch of a layer's weights, in the order of the operator's.
  private static func roles(of operation: any Operator) -> [String] {
    switch operation {
    case let operation as BatchNormalization:
      affine(operation.hasScale, operation.hasCenter) + ["running_mean", "running_var"]
    case let operation as LayerNormalization: affine(operation.hasScale, operation.hasCenter)
    case let operation as GroupNormalization: affine(operation.hasScale, operation.hasCenter)
    case is Convolution, is TransposedConvolution, is Dense, is Embedding, is PReLU:
      ["weight", "bias"]
    default: []
    }
  }

  private static func affine(_ hasScale: Bool, _ hasCenter: Bool) -> [String] {
    (hasScale ? ["weight"] : []) + (hasCenter ? ["bias"] : [])
  }

  private static func recurrent<Operation: RecurrentOperator>(
    _ operation: Operation, _ gates: [Int], _ node: Node, _ weights: [Value]
  ) -> [PyTorchTarget] {
    let named = zip(weights, ["weight_ih_l0", "weight_hh_l0"]).map { weight, role in
      PyTorchTarget(
        name: weight.name,
        sources: [Source(layer: node.name, role: role, shape: weight.constant?.shape ?? [])]
      ) { $0[0].reorderingGates(gates) }
    }
    guard operation.bias != .none, weights.count > 2, let bias = weights[2].constant else {
      return named
    }
    let shape = [weights[0].constant?.shape[0] ?? 0]
    let isPair = operation.bias == .separate
    let pair = PyTorchTarget(
      name: weights[2].name,
      sources: ["bias_ih_l0", "bias_hh_l0"].map {
        Source(layer: node.name, role: $0, shape: shape)
      }
    ) { (biases) throws(WeighbridgeError) in
      let ordered = biases.map { $0.reorderingGates(gates) }
      if isPair {
        return Tensor(
          ordered[0].elementType, shape: bias.shape,
          bytes: ordered.flatMap { $0.contiguousBytes() })
      }
      if ordered[1].doubles.allSatisfy({ $0 == 0 }) { return ordered[0] }
      guard !(operation is GRU) else {
        throw .mismatch("has two biases for each gate, and the architecture's GRU has one")
      }
      return Tensor(
        ordered[0].elementType, shape: shape, zip(ordered[0].doubles, ordered[1].doubles).map(+))
    }
    return named + [pair]
  }
}
