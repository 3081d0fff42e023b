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

  /// The only node that reads the output of the last node; `nil` if there are several, or if the
  /// output is one of the model's.
  private var follower: Node? {
    guard let last = nodes.last, let positions = consumers[last.outputs[0]], positions.count == 1,
      !graph.outputs.contains(where: { $0.value == last.outputs[0] })
    else { return nil }
    return graph.nodes[positions[0]]
  }

  /// Makes the batch normalization and the activation after the operator part of its section.
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

  /// Makes the activation after the operator part of its section.
  mutating func activation() -> String {
    guard let next = follower,
      let name = DarknetLayer.activationName(of: [next.operation], fork: fork)
    else { return "linear" }
    nodes.append(next)
    return name
  }

  /// Whether a batch normalization of the operator's output is along its channels.
  func normalizesChannels(_ operation: BatchNormalization, _ layout: DataLayout) -> Bool {
    operation.axis == (outputType.rank == 4 ? layout.channelAxis(rank: 4) : 1)
  }

  /// The weights of a convolution or dense layer other than its kernel.
  mutating func affineWeights(
    bias: Tensor?, _ normalization: Normalization?, count: Int
  ) throws(WeighbridgeError) -> [String: Tensor] {
    if let normalization { return try statistics(normalization, bias: bias) }
    return ["bias": bias ?? Tensor(.float32, shape: [1], [0]).broadcast(to: [count])]
  }

  /// The weights of a batch normalization in darknet's form, by their roles.
  ///
  /// - Parameter bias: The bias of the preceding layer, by which the means are shifted.
  mutating func statistics(
    _ normalization: Normalization, bias: Tensor?
  ) throws(WeighbridgeError) -> [String: Tensor] {
    let weights = normalization.weights
    guard var mean = weights["mean"], let variance = weights["variance"] else {
      throw .unsupported("its mean and variance are computed, and darknet stores them as weights")
    }
    let constant = { (number: Double) in
      Tensor(.float32, shape: mean.shape, [Double](repeating: number, count: mean.count))
    }
    let (one, zero) = (constant(1), constant(0))
    if let bias {
      note("biases before a batch normalization are in its means")
      mean = Tensor(.float32, shape: mean.shape, zip(mean.doubles, bias.doubles).map { $0 - $1 })
    }
    return [
      "gamma": weights["gamma"] ?? one, "beta": weights["beta"] ?? zero, "mean": mean,
      "variance": try adjusted(variance, epsilon: normalization.operation.epsilon),
    ]
  }

  /// Adapts the variance to darknet's epsilon, which is 10⁻⁵ in AlexeyAB's. (For pjreddie's, it is
  /// part of the variance in the graph.)
  private mutating func adjusted(
    _ variance: Tensor, epsilon: Double
  ) throws(WeighbridgeError) -> Tensor {
    let darknetEpsilon = fork == .alexeyab ? 1e-5 : 0
    let difference = epsilon - darknetEpsilon
    if difference.magnitude < 1e-12 { return variance }
    note(
      "the epsilon \(Float(epsilon)) of batch normalizations is in their variances, less darknet's")
    let variances = variance.doubles.map { $0 + difference }
    guard variances.allSatisfy({ $0 >= 0 }) else {
      throw .unsupported("its variances are below darknet's epsilon, which is added to them")
    }
    return Tensor(.float32, shape: variance.shape, variances)
  }
}
