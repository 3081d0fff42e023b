import Bytes
import ConversionCore
import DarknetFormat
import GraphIR
import LayerCatalog

extension DarknetTranslation {
  /// A batch normalization with its weights.
  struct Normalization {
    let operation: BatchNormalization
    /// The weights, by the names of their slots.
    let weights: [String: Tensor]
  }

  /// The one node that takes what the last node makes, where the model does not give it.
  private var follower: Node? {
    guard let last = nodes.last, let positions = consumers[last.outputs[0]], positions.count == 1,
      !graph.outputs.contains(where: { $0.value == last.outputs[0] })
    else { return nil }
    return graph.nodes[positions[0]]
  }

  /// The batch normalization and the activation behind the operator, which become part of its section.
  mutating func followers(
    _ layout: DataLayout
  ) -> (normalization: Normalization?, activation: String) {
    (normalization(layout), activation())
  }

  private mutating func normalization(_ layout: DataLayout) -> Normalization? {
    guard let next = follower, let operation = next.operation as? BatchNormalization,
      normalizesChannels(operation, layout)
    else { return nil }
    nodes.append(next)
    return Normalization(
      operation: operation,
      weights: Self.weights(operation, next.inputs.map { graph[$0].constant }))
  }

  /// The activation behind the operator, which becomes part of its section.
  mutating func activation() -> String {
    guard let next = follower,
      let name = DarknetLayer.activationName(of: [next.operation], fork: fork)
    else { return "linear" }
    nodes.append(next)
    return name
  }

  /// Whether a batch normalization of what the operator makes is one of the channels.
  func normalizesChannels(_ operation: BatchNormalization, _ layout: DataLayout) -> Bool {
    operation.axis == (outputType.rank == 4 ? layout.channelAxis(rank: 4) : 1)
  }

  /// The weights of a convolution or dense layer besides its kernel.
  mutating func affineWeights(
    bias: Tensor?, _ normalization: Normalization?, count: Int
  ) throws(WeighbridgeError) -> [String: Tensor] {
    if let normalization { return try statistics(normalization, bias: bias) }
    return ["bias": bias ?? Tensor(.float32, shape: [1], [0]).broadcast(to: [count])]
  }

  /// The numbers of a batch normalization as darknet has them, by their roles.
  ///
  /// - Parameter bias: Of the convolution before, which moves the means.
  mutating func statistics(
    _ normalization: Normalization, bias: Tensor?
  ) throws(WeighbridgeError) -> [String: Tensor] {
    let weights = normalization.weights
    guard var mean = weights["mean"], let variance = weights["variance"] else {
      throw .unsupported("its mean and variance are computed")
    }
    let constant = { (number: Double) in
      Tensor(.float32, shape: mean.shape, [Double](repeating: number, count: mean.count))
    }
    let (one, zero) = (constant(1), constant(0))
    if let bias {
      note("biases before a batch normalisation are in its means")
      mean = Tensor(.float32, shape: mean.shape, zip(mean.doubles, bias.doubles).map { $0 - $1 })
    }
    return [
      "gamma": weights["gamma"] ?? one, "beta": weights["beta"] ?? zero, "mean": mean,
      "variance": try raised(variance, epsilon: normalization.operation.epsilon),
    ]
  }

  /// The variance that gives the same with darknet's epsilon: 10⁻⁵ in AlexeyAB's; in pjreddie's the
  /// graph has none.
  private mutating func raised(
    _ variance: Tensor, epsilon: Double
  ) throws(WeighbridgeError) -> Tensor {
    let own = fork == .alexeyab ? 1e-5 : 0
    let difference = epsilon - own
    if difference.magnitude < 1e-12 { return variance }
    note(
      "the epsilon \(Float(epsilon)) of batch normalisations is in their variances, less darknet's")
    let numbers = variance.doubles.map { $0 + difference }
    guard numbers.allSatisfy({ $0 >= 0 }) else {
      throw .unsupported("its variances are below darknet's epsilon")
    }
    return Tensor(.float32, shape: variance.shape, numbers)
  }
}
