import Bytes
import GraphIR
import LayerCatalog

extension GRU {
  /// Keras: `GRU`, `CuDNNGRU`; its cell, `GRUCell`, in `RNN`. See ``RecurrentLayer``.
  static let keras = KerasMapping(layers: [
    "GRU": RecurrentLayer.build("GRU"),
    "CuDNNGRU": RecurrentLayer.build("CuDNNGRU"),
  ])
}
