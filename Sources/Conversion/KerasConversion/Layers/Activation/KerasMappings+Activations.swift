import Bytes
import GraphIR
import KerasFormat
import LayerCatalog

extension KerasMappings {
  /// Keras' activation functions, by their names in `activation=`, with the default parameters that
  /// a function has when it is given by name.
  package static let activations: [String: KerasMapping.Activation] = [
    "celu": { _, _ in CELU(alpha: 1) },
    "elu": { _, _ in ELU(alpha: 1) },
    "exponential": { _, _ in Exponential() },
    "gelu": { _, _ in GELU(isApproximate: false) },
    "glu": { (_, type) throws(WeighbridgeError) in GLU(axis: try lastAxis(of: type)) },
    "hard_shrink": { _, _ in HardShrink(threshold: 0.5) },
    "hard_sigmoid": { version, _ in
      HardSigmoid(slope: version < KerasVersion(3, 0) ? 0.2 : 1 / 6, offset: 0.5)
    },
    "hard_silu": { _, _ in HardSwish() },
    "hard_swish": { _, _ in HardSwish() },
    "hard_tanh": { _, _ in Clip(minimum: -1, maximum: 1) },
    "leaky_relu": { _, type in
      LeakyReLU(slope: KerasLayer.constant(0.2, in: type.elementType))
    },
    "linear": { _, _ in Identity() },
    "log_sigmoid": { _, _ in LogSigmoid() },
    "log_softmax": logSoftmax,
    "log_softmax_v2": logSoftmax,  // the name of TensorFlow's function, which Keras 2 saves
    "mish": { _, _ in Mish() },
    "relu": { _, _ in ReLU(slope: 0, threshold: 0, maximum: nil) },
    "relu6": { _, _ in ReLU(slope: 0, threshold: 0, maximum: 6) },
    "selu": { _, _ in SELU() },
    "sigmoid": { _, _ in Sigmoid() },
    "silu": { _, _ in Swish() },
    "soft_shrink": { _, _ in SoftShrink(threshold: 0.5) },
    "softmax": { (_, type) throws(WeighbridgeError) in Softmax(axes: [try lastAxis(of: type)]) },
    "softplus": { _, _ in Softplus() },
    "softsign": { _, _ in Softsign() },
    "sparse_plus": { _, _ in SparsePlus() },
    // Martins and Astudillo 2016.
    "sparse_sigmoid": { _, _ in HardSigmoid(slope: 0.5, offset: 0.5) },
    "sparsemax": { (_, type) throws(WeighbridgeError) in
      Sparsemax(axes: [try lastAxis(of: type)])
    },
    "squareplus": { _, _ in Squareplus(smoothness: 4) },
    "swish": { _, _ in Swish() },
    "tanh": { _, _ in Tanh() },
    "tanh_shrink": { _, _ in TanhShrink() },
  ]

  private static let logSoftmax: KerasMapping.Activation = {
    (_, type) throws(WeighbridgeError) in LogSoftmax(axes: [try lastAxis(of: type)])
  }

  /// The last axis, for a function that works along it.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when there is no axis other than the batch.
  private static func lastAxis(of type: TensorType) throws(WeighbridgeError) -> Int {
    guard type.rank >= 2 else {
      throw .malformed("needs an axis besides the batch and has \(type)")
    }
    return type.rank - 1
  }
}
