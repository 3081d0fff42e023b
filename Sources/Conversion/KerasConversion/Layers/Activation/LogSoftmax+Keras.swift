import Bytes
import GraphIR
import LayerCatalog

extension LogSoftmax {
  /// Keras: the function `log_softmax`, which works along the last axis.
  static let keras = KerasMapping(activations: [
    "log_softmax": { (_, type) throws(WeighbridgeError) in
      LogSoftmax(axes: [try KerasLayer.lastAxis(of: type)])
    }
  ])
}
