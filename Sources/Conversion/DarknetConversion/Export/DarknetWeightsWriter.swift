import Bytes
import ConversionCore
import DarknetFormat
import GraphIR

/// The weights of a `.weights` file, in the order of the file.
struct DarknetWeightsWriter {
  private let fork: DarknetFork
  private let tensors: [Tensor]

  /// - Throws: ``WeighbridgeError/Code/unsupported`` for weights that are not float32.
  init(_ plan: DarknetPlan) throws(WeighbridgeError) {
    fork = plan.fork
    var tensors: [Tensor] = []
    for expected in plan.storedWeights {
      guard let weight = plan.weights[expected.name], weight.elementType == .float32 else {
        let type = plan.weights[expected.name].map { "is \($0.elementType.rawValue)" }
        throw .unsupported(
          "the weight \(expected.name) \(type ?? "is missing"), and darknet stores float32")
      }
      let stored = Self.stored(weight, expected, fork)
      guard stored.shape == expected.shape else {
        throw .unsupported(
          "\(expected.name) is \(stored.shape), and the file holds \(expected.shape)")
      }
      tensors.append(stored)
    }
    self.tensors = tensors
  }

  /// The weight as it is stored in the file.
  private static func stored(
    _ weight: Tensor, _ expected: DarknetPlan.StoredWeight, _ fork: DarknetFork
  ) -> Tensor {
    if fork == .pjreddie, expected.role.hasSuffix("variance") {
      return excludingEpsilon(weight)
    }
    // Only these biases have another axis order: their filters are innermost in the operator.
    return expected.name.hasSuffix("_local/bias") ? weight.permuted([2, 0, 1]) : weight
  }

  /// The float32 variances v for which (√v + 10⁻⁶)², which pjreddie's darknet computes, is closest
  /// to the given ones.
  private static func excludingEpsilon(_ variance: Tensor) -> Tensor {
    let stored = variance.doubles.map { target in
      let deviation = max(0, target.squareRoot() - 1e-6)
      let estimate = Float(deviation * deviation)
      let candidates = [estimate, estimate.nextUp, max(0, estimate.nextDown)]
      let error = { (candidate: Float) in
        let deviation = Double(candidate).squareRoot() + 1e-6
        return (Double(Float(deviation * deviation)) - target).magnitude
      }
      return Double(candidates.min { error($0) < error($1) } ?? estimate)
    }
    return Tensor(.float32, shape: variance.shape, stored)
  }

  /// Writes the header and the weights.
  ///
  /// - Throws: ``WeighbridgeError/Code/outputFailed``, ``WeighbridgeError/Code/cancelled``;
  ///   ``WeighbridgeError/Code/damaged`` when the source has changed since it was opened.
  func write(
    to file: inout AtomicFile, _ cancellation: Cancellation?
  ) throws(WeighbridgeError) {
    try unsafe file.append(DarknetWeightsHeader.bytes(fork: fork).span.bytes)
    var stream = WeightStream(cancellation)
    for tensor in tensors {
      try stream.write(tensor) { (bytes) throws(WeighbridgeError) in try file.append(bytes) }
    }
  }
}
