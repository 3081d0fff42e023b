package import Bytes
package import GraphIR

/// Normalization across adjacent channels (Krizhevsky et al. 2012): x / n^beta with n = bias +
/// alpha · (sum of the squares of channels c - before to c + after at the same position).
///
/// - input: any shape, with the channels along `axis`
/// - output: the input's shape
///
/// Channels outside of the input count as 0. darknet's running sum never adds the square of one
/// channel, but subtracts it from every sum: that channel is `omitted`.
package struct LocalResponseNormalization: ArithmeticOperator {
  /// The axis of the channels; the first is 0.
  package let axis: Int
  /// The number of preceding channels that are included.
  package let before: Int
  /// The number of following channels that are included.
  package let after: Int
  /// The factor of the sum of squares.
  package let alpha: Double
  /// The exponent.
  package let beta: Double
  /// Added to the sum.
  package let bias: Double
  /// The channel whose square is subtracted from every sum, if any.
  package let omitted: Int?

  package static let kind = "local_response_normalization"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    """
    s[c] = (sum over channels d with c - before <= d <= c + after of x[d]^2) - x[omitted]^2
    y[c] = x[c] / (bias + alpha * s[c])^beta
    Channels that do not exist count as 0, also an omitted one.
    """,
    of: .float,
    attributes: AttributeSchema(
      { (axis, before, after, alpha, beta, bias, omitted) in
        Self(
          axis: axis, before: before, after: after, alpha: alpha, beta: beta, bias: bias,
          omitted: omitted.first)
      },
      .axis(\.axis, "The axis of the channels."),
      .integer(
        "before", \.before, "The number of preceding channels that are included.", .atLeast(0),
        .sizeLimit),
      .integer(
        "after", \.after, "The number of following channels that are included.", .atLeast(0),
        .sizeLimit),
      .real("alpha", \.alpha, "The factor of the sum of squares."),
      .real("beta", \.beta, "The exponent."),
      .real("bias", \.bias, "Added to alpha times the sum."),
      .integers(
        "omitted", { @Sendable in $0.omitted.map { [$0] } ?? [] },
        "The channel whose square is subtracted from every sum; at most one.", .atLeast(0),
        .sizeLimit, .maximumCount(1))))

  /// Creates the operator.
  package init(
    axis: Int, before: Int, after: Int, alpha: Double, beta: Double, bias: Double, omitted: Int?
  ) {
    self.axis = axis
    self.before = before
    self.after = after
    self.alpha = alpha
    self.beta = beta
    self.bias = bias
    self.omitted = omitted
  }
}

extension LocalResponseNormalization {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    guard inputs[0].elementType.isFloat, axis < inputs[0].rank else {
      throw ShapeError("takes floating-point numbers with axis \(axis), not \(inputs[0])")
    }
    return [inputs[0]]
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    [inputs[0].mappingLanes(along: [axis], workers: workers, normalize)]
  }

  /// Normalizes the elements of all channels at one position.
  package func normalize(_ lane: ArraySlice<Double>) -> [Double] {
    let elements = Array(lane)
    let omittedElement = omitted.flatMap { $0 < elements.count ? elements[$0] : nil } ?? 0
    return elements.indices.map { channel in
      let range = max(0, channel - before)...min(elements.count - 1, channel + after)
      let sum = elements[range].reduce(-omittedElement * omittedElement) { $0 + $1 * $1 }
      return elements[channel] / (beta * (bias + alpha * sum).logarithm).exponential
    }
  }

  package func permutingAxes(_ axes: [Int]) -> LocalResponseNormalization? {
    axes.firstIndex(of: axis).map {
      LocalResponseNormalization(
        axis: $0, before: before, after: after, alpha: alpha, beta: beta, bias: bias,
        omitted: omitted)
    }
  }

  /// The sums are computed as products with a matrix of ones and zeros.
  package var decomposition: Decomposition {
    Composition.of { [self] (make) throws(WeighbridgeError) in
      let (x, type) = (make.inputs[0], make.type(make.inputs[0]))
      let count = try make.size(x, axis: axis)
      guard count <= Self.maximumChannels else {
        throw .unsupported(
          "\(count) channels need a matrix of as many rows; the limit is \(Self.maximumChannels)")
      }
      let order = (0..<type.rank).filter { $0 != axis } + [axis]
      let square = try make.product(x, x)
      let matrix = Tensor(type.elementType, shape: [count, count], factors(count))
      let offset = Tensor(
        type.elementType, shape: [count], [Double](repeating: bias, count: count))
      let sum = try make(
        Dense(hasBias: true), try make.transposed(square, order), try make.constant(matrix),
        try make.constant(offset))
      let exponent = try make.number(beta, like: x)
      let base = try make.transposed(sum, order.inversePermutation)
      return try make.quotient(x, try make(BinaryMath(.power), base, exponent))
    }
  }

  /// The largest number of channels for which a matrix is used; it then takes 4 MB.
  private static let maximumChannels = 1024

  /// The factor of each channel's square for each output channel.
  private func factors(_ count: Int) -> [Double] {
    (0..<count).flatMap { output in
      (0..<count).map { channel in
        let isNear = channel >= output - before && channel <= output + after
        return alpha * ((isNear ? 1 : 0) - (omitted == channel ? 1 : 0))
      }
    }
  }
}
