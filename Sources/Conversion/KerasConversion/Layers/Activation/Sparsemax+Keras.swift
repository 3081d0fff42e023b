import Bytes
import GraphIR
import LayerCatalog

extension Sparsemax {
  /// Keras: the function `sparsemax`, which works along the last axis.
  static let keras = KerasMapping(activations: [
    "sparsemax": { (_, type) throws(WeighbridgeError) in
      Sparsemax(axes: [try KerasLayer.lastAxis(of: type)])
    }
  ])
}
