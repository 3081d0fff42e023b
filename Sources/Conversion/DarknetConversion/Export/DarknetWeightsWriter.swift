import Bytes
import ConversionCore
import DarknetFormat
import GraphIR

/// The weights of a `.weights` file, in the order of the file.
struct DarknetWeightsWriter {
  private let fork: DarknetFork
  private let tensors: [Tensor]

  /// The approximate number of bytes that go to the file at once.
  private static let pieceSize = 1 << 20

  /// - Throws: ``WeighbridgeError/Code/unsupported`` for weights that are not float32.
  init(_ plan: DarknetPlan) throws(WeighbridgeError) {
    fork = plan.fork
    var tensors: [Tensor] = []
    for take in plan.takes {
      guard let weight = plan.weights[take.name], weight.elementType == .float32 else {
        let type = plan.weights[take.name].map { "is \($0.elementType.rawValue)" }
        throw .unsupported(
          "the weight \(take.name) \(type ?? "is missing"), and darknet stores float32")
      }
      let stored = Self.stored(weight, take, fork)
      guard stored.shape == take.shape else {
        throw .unsupported("\(take.name) is \(stored.shape), and the file holds \(take.shape)")
      }
      tensors.append(stored)
    }
    self.tensors = tensors
  }

  /// The weight in the form of the file.
  private static func stored(
    _ weight: Tensor, _ take: DarknetPlan.Take, _ fork: DarknetFork
  ) -> Tensor {
    if fork == .pjreddie, take.role.hasSuffix("variance") { return withoutDeviation(weight) }
    // Only these biases have another axis order: their filters are innermost in the operator.
    return take.name.hasSuffix("_local/bias") ? weight.permuted([2, 0, 1]) : weight
  }

  /// The float32 variance v for which pjreddie's darknet, which uses (√v + 10⁻⁶)², gives the wanted
  /// one.
  private static func withoutDeviation(_ variance: Tensor) -> Tensor {
    let numbers = variance.doubles.map { wanted in
      let deviation = max(0, wanted.squareRoot() - 1e-6)
      let near = Float(deviation * deviation)
      let candidates = [near, near.nextUp, max(0, near.nextDown)]
      let distance = { (number: Float) in
        let deviation = Double(number).squareRoot() + 1e-6
        return (Double(Float(deviation * deviation)) - wanted).magnitude
      }
      return Double(candidates.min { distance($0) < distance($1) } ?? near)
    }
    return Tensor(.float32, shape: variance.shape, numbers)
  }

  /// Writes the header and the weights.
  ///
  /// - Throws: ``WeighbridgeError/Code/outputFailed``, ``WeighbridgeError/Code/cancelled``;
  ///   ``WeighbridgeError/Code/damaged`` when the source has changed since it was opened.
  func write(
    to file: inout AtomicFile, _ cancellation: Cancellation?
  ) throws(WeighbridgeError) {
    try file.append(DarknetWeightsHeader.bytes(fork: fork).span.bytes)
    var buffer: [UInt8] = []
    for tensor in tensors {
      for piece in tensor.pieces(ofAbout: Self.pieceSize) {
        try cancellation.check()
        try piece.withBytes(&buffer) { (bytes) throws(WeighbridgeError) in try file.append(bytes) }
      }
      try tensor.store.checkUnchanged()
    }
  }
}
