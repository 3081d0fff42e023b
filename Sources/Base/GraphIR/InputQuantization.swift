import Bytes

/// How one of a node's inputs is quantized, and so the precision with which the node computes.
package struct InputQuantization: Hashable, Sendable {
  /// The type that the elements are quantized to.
  package enum Elements: Hashable, Sendable {
    /// 8-bit integers.
    case integers(IntegerQuantization)
    /// The nearest bfloat16. Weights that they are multiplied with are rounded to bfloat16, too.
    case bfloat16
  }

  /// The index of the input: 0 where it is multiplied with weights, any index for a sum.
  package var input = 0
  /// The type that its elements are quantized to.
  package let elements: Elements

  /// Creates a quantization.
  package init(_ elements: Elements, input: Int = 0) {
    (self.elements, self.input) = (elements, input)
  }

  /// Returns an element after quantization and dequantization.
  package func rounded(_ number: Float) -> Float {
    switch elements {
    case .integers(let integers): integers.dequantized(integers.quantized(number))
    case .bfloat16: number.roundedToBFloat16
    }
  }
}

extension Float {
  /// The nearest bfloat16, with ties to even.
  package var roundedToBFloat16: Float { Float(bitPattern: UInt32(bfloat16Bits) << 16) }
}

/// The quantization of numbers to 8-bit integers.
///
/// An element x becomes round(x * (1 / scale)) + zeroPoint, clamped to 0...255. Schemas/wbm.md,
/// "Quantization", gives the formulas.
package struct IntegerQuantization: Hashable, Sendable {
  /// How the range of the data was chosen.
  package enum Method: String, Hashable, Sendable, CaseIterable {
    /// All elements observed.
    case maximum
    /// All but 1 in 1,000 at each end.
    case percentile999
    /// All but 1 in 10,000 at each end.
    case percentile9999
    /// All but 1 in 100,000 at each end.
    case percentile99999
    /// The range with the least Kullback-Leibler divergence between elements and integers.
    case entropy
  }

  /// The difference that a step of 1 represents.
  package let scale: Float
  /// The integer that represents 0.
  package let zeroPoint: UInt8
  /// How the range was chosen.
  package let method: Method

  /// Creates a quantization; `nil` unless the scale and its reciprocal are positive normal numbers.
  package init?(scale: Float, zeroPoint: UInt8, method: Method) {
    guard scale > 0, scale.isNormal, (1 / scale).isNormal else { return nil }
    (self.scale, self.zeroPoint, self.method) = (scale, zeroPoint, method)
  }

  /// Creates the quantization of elements from `minimum` to `maximum`, and of 0.
  ///
  /// - Returns: `nil` when both are 0 or one is not finite.
  package init?(from minimum: Float, to maximum: Float, method: Method) {
    let (minimum, maximum) = (min(minimum, 0), max(maximum, 0))
    let scale = (maximum - minimum) / 255
    guard scale.isFinite, scale > 0 else { return nil }
    self.init(
      scale: scale, zeroPoint: UInt8(min(255, (-minimum / scale).rounded(.toNearestOrEven))),
      method: method)
  }

  /// The number that an integer represents.
  package func dequantized(_ integer: UInt8) -> Float {
    (Float(integer) - Float(zeroPoint)) * scale
  }

  /// Returns the integer of an element. NaN becomes 0.
  package func quantized(_ number: Float) -> UInt8 {
    let zero = Float(zeroPoint)
    let scaled = number * (1 / scale)
    let bounded = min(255 - zero, scaled > -zero ? scaled : -zero)
    return UInt8(bounded.rounded(.toNearestOrEven) + zero)
  }
}

/// Weights as 8-bit integers with a scale for each output channel.
package struct QuantizedChannels: Sendable {
  /// Row-major, in the weights' shape.
  package let integers: [Int8]
  /// One for each channel.
  package let scales: [Float]

  /// Quantizes weights. Weights that are stored as integers keep them; others are rounded to the
  /// nearest multiple of 1/127 of the largest magnitude in their channel.
  ///
  /// - Parameters:
  ///   - weights: float32, with the output channels first.
  ///   - transposedGroups: The number of groups of a transposed convolution, whose weights are
  ///     `[in, out/groups, spatial...]`; `nil` for other weights.
  package init(_ weights: Tensor, transposedGroups: Int? = nil) {
    let count = weights.shape.isEmpty ? 0 : weights.shape[0]
    let outputs = transposedGroups.map { $0 * weights.shape[1] } ?? count
    if let stored = Self.stored(weights, transposedGroups: transposedGroups) {
      integers = stored.integers.contiguousBytes().map { Int8(bitPattern: $0) }
      scales =
        stored.scales.count == 1
        ? Array(repeating: stored.scales[0], count: outputs) : stored.scales
      return
    }
    let numbers = weights.floats
    // Runs of `width` numbers belong to the same channel.
    let runs = transposedGroups == nil ? count : count * weights.shape[1]
    let width = runs == 0 ? 0 : numbers.count / runs
    let channels = (0..<runs).map { run in
      guard let groups = transposedGroups else { return run }
      let own = weights.shape[1]
      return run / own / (count / groups) * own + run % own
    }
    var largest = [Float](repeating: 0, count: outputs)
    for (run, channel) in channels.enumerated() {
      for number in numbers[run * width..<(run + 1) * width] where number.isFinite {
        largest[channel] = max(largest[channel], abs(number))
      }
    }
    let scales = largest.map { max($0 / 127, .leastNormalMagnitude) }
    integers = channels.enumerated().flatMap { run, channel in
      numbers[run * width..<(run + 1) * width].map { number in
        let multiple = (number / scales[channel]).rounded(.toNearestOrEven)
        return multiple.isNaN ? 0 : Int8(max(-127, min(127, multiple)))
      }
    }
    self.scales = scales
  }

  /// Whether weights are stored as such integers, so that no rounding is added.
  package static func areStored(in weights: Tensor, transposedGroups: Int? = nil) -> Bool {
    stored(weights, transposedGroups: transposedGroups) != nil
  }

  /// The integers of weights that are stored as int8 with a scale for each output channel, or for all.
  private static func stored(
    _ weights: Tensor, transposedGroups: Int?
  ) -> (integers: Tensor, scales: [Float])? {
    guard let stored = weights.quantized, stored.integers.elementType == .int8,
      case .linear(let parameters) = stored.dequantization, parameters.zeroPoints.isEmpty,
      parameters.offsets.isEmpty
    else { return nil }
    // With groups, no axis of a transposed convolution's weights has the output channels.
    let isPerChannel =
      switch transposedGroups {
      case nil: parameters.axis == 0
      case 1: parameters.axis == 1
      default: false
      }
    guard parameters.axis == nil || isPerChannel else { return nil }
    return (stored.integers, parameters.scales)
  }
}

extension Graph {
  /// The same graph, with some nodes computed with 8-bit integers or bfloat16 and all others not.
  ///
  /// - Parameter quantizations: By the nodes' names.
  package func quantizing(_ quantizations: [String: InputQuantization]) -> Graph {
    let nodes = nodes.map { node in
      var node = node
      node.quantization = quantizations[node.name]
      return node
    }
    return Graph(values: values, nodes: nodes, inputs: inputs, outputs: outputs)
  }
}
