import Bytes
import GraphIR
import LayerCatalog

extension FlattenTime {
  /// Keras: `TimeDistributed`, which treats each step by itself; with ``UnflattenTime``.
  static let keras = KerasMapping(layers: ["TimeDistributed": TimeDistributedLayer.build])
}
