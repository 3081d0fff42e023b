import Bytes
import GraphIR
import LayerCatalog

extension GLU {
  /// Keras: the function `glu`, which works along the last axis.
  static let keras = KerasMapping(activations: [
    "glu": { (_, type) throws(WeighbridgeError) in GLU(axis: try KerasLayer.lastAxis(of: type)) }
  ])
}
