import Bytes
import GraphIR
import LayerCatalog

extension ReLU {
  /// Keras: `ReLU(max_value=None, negative_slope=0, threshold=0)`, `ThresholdedReLU(theta=1)`, the
  /// functions `relu` and `relu6`; of Keras 1 `SReLU`.
  static let keras = KerasMapping(
    layers: [
      "ReLU": { (layer, inputs) throws(WeighbridgeError) in
        let maximum = try layer.optionalReal("max_value")
        if let maximum, !(maximum >= 0) {
          throw WeighbridgeError(.malformed, "max_value=\(maximum), and it is at least 0")
        }
        let slope = try layer.real("negative_slope", default: 0)
        let threshold = try layer.real("threshold", default: 0)
        return try layer.add(
          ReLU(slope: slope, threshold: threshold, maximum: maximum), inputs)
      },
      "ThresholdedReLU": { (layer, inputs) throws(WeighbridgeError) in
        let threshold = try layer.real("theta", default: 1)
        return try layer.add(ReLU(slope: 0, threshold: threshold, maximum: nil), inputs)
      },
      "SReLU (Keras 1)": Keras1Activations.sReLU,
    ],
    activations: [
      "relu": { _, _ in ReLU(slope: 0, threshold: 0, maximum: nil) },
      "relu6": { _, _ in ReLU(slope: 0, threshold: 0, maximum: 6) },
    ])
}
