import Bytes
import GraphIR
import LayerCatalog

extension SimpleRNN {
  /// Keras: `SimpleRNN`; its cell, `SimpleRNNCell`, in `RNN`. See ``RecurrentLayer``.
  static let keras = KerasMapping(layers: ["SimpleRNN": RecurrentLayer.build("SimpleRNN")])
}
