import Bytes
import DarknetFormat
import GraphIR
import LayerCatalog

extension DarknetLayer {
  /// The scales, means and variances of a batch normalization.
  struct Statistics {
    let gamma: ValueID
    let mean: ValueID
    let variance: ValueID
  }

  /// Reads the flags that keep a layer's weights out of the file, so that they are random in
  /// darknet.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` when one is set and the weights are not random.
  mutating func checkLoading() throws(WeighbridgeError) {
    for key in ["dontload", "dontloadscales", "numload"] {
      guard try flag(key), !network.weights.isRandom else { continue }
      throw unsupported(
        "\(key) keeps numbers of this layer out of the file, and darknet would compute with "
          + "random ones")
    }
  }

  /// Takes the scales, means and variances of a batch normalization.
  ///
  /// pjreddie's darknet divides by √variance + 10⁻⁶; the graph's variance is the square of that.
  mutating func statistics(_ prefix: String, count: Int) throws(WeighbridgeError) -> Statistics {
    let gamma = try weight("\(prefix)gamma", shape: [count], range: 0.8...1.2)
    let mean = try weight("\(prefix)mean", shape: [count])
    let includesEpsilon = fork == .pjreddie
    let variance = try network.weights.take(
      "\(prefix)variance", shape: [count], layer: index, range: 0.5...1.5)
    let isComplete = network.weights.isComplete
    return Statistics(
      gamma: gamma, mean: mean,
      variance: try constant(
        "\(prefix)variance",
        includesEpsilon && isComplete ? Self.includingEpsilon(variance) : variance))
  }

  /// The variances whose square roots are greater by darknet's epsilon.
  private static func includingEpsilon(_ variance: Tensor) -> Tensor {
    Tensor(
      .float32, shape: variance.shape,
      variance.doubles.map { variance in
        let deviation = variance.squareRoot() + 1e-6
        return deviation * deviation
      })
  }

  /// Adds a batch normalization of the channels, axis 1.
  mutating func normalized(
    _ value: ValueID, _ statistics: Statistics, beta: ValueID, role: String
  ) throws(WeighbridgeError) -> ValueID {
    let operation = BatchNormalization(
      axis: 1, epsilon: fork == .alexeyab ? 1e-5 : 0, hasScale: true, hasCenter: true)
    return try add(
      operation, [value, statistics.gamma, beta, statistics.mean, statistics.variance],
      role: role)
  }

  /// The weights of a fully connected layer.
  struct ConnectedWeights {
    let prefix: String
    let bias: ValueID
    let kernel: ValueID
    let statistics: Statistics?
  }

  /// Takes the weights of a fully connected layer in the order of the file: biases, the matrix, and
  /// those of a batch normalization, if there is one.
  ///
  /// - Parameter prefix: The prefix of the roles: empty, or for example `input/`.
  mutating func connectedWeights(
    _ prefix: String, inputs: Int, outputs: Int, normalizes: Bool
  ) throws(WeighbridgeError) -> ConnectedWeights {
    let bias = try weight(normalizes ? "\(prefix)beta" : "\(prefix)bias", shape: [outputs])
    let isTransposed = network.weights.isTransposed
    let kernel = try kernel(
      "\(prefix)kernel", shape: isTransposed ? [inputs, outputs] : [outputs, inputs],
      fanIn: inputs
    ) { isTransposed ? $0.permuted([1, 0]) : $0 }
    return ConnectedWeights(
      prefix: prefix, bias: bias, kernel: kernel,
      statistics: normalizes ? try statistics(prefix, count: outputs) : nil)
  }

  /// Adds a fully connected layer: `[batch, in]` to `[batch, out]`.
  mutating func connected(
    _ value: ValueID, _ weights: ConnectedWeights, activation: String = "linear"
  ) throws(WeighbridgeError) -> ValueID {
    let prefix = weights.prefix
    let role = prefix.isEmpty ? "" : String(prefix.dropLast())
    guard let statistics = weights.statistics else {
      let output = try add(
        Dense(hasBias: true), [value, weights.kernel, weights.bias], role: role)
      return try activated(output, activation, role: "\(prefix)activation")
    }
    let product = try add(Dense(hasBias: false), [value, weights.kernel], role: role)
    let output = try normalized(
      product, statistics, beta: weights.bias, role: "\(prefix)batch_normalization")
    return try activated(output, activation, role: "\(prefix)activation")
  }
}
