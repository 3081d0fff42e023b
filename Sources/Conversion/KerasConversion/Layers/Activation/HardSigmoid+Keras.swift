import Bytes
import GraphIR
import KerasFormat
import LayerCatalog

extension HardSigmoid {
  /// Keras: the function `hard_sigmoid`, whose slope is 0.2 up to Keras 2 and 1/6 since Keras 3; the
  /// function `sparse_sigmoid` (Martins and Astudillo 2016), whose slope is 1/2.
  static let keras = KerasMapping(activations: [
    "hard_sigmoid": { version, _ in
      HardSigmoid(slope: version < KerasVersion(3, 0, 0) ? 0.2 : 1 / 6, offset: 0.5)
    },
    "sparse_sigmoid": { _, _ in HardSigmoid(slope: 0.5, offset: 0.5) },
  ])
}
