import Bytes
import GraphIR
import LayerCatalog

extension LSTM {
  /// Keras: `LSTM`, `CuDNNLSTM`; its cell, `LSTMCell`, in `RNN`. Also the layers that hold any
  /// recurrent layer or cell: `Bidirectional`, `RNN`. See ``RecurrentLayer``.
  static let keras = KerasMapping(layers: [
    "Bidirectional": RecurrentLayer.bidirectional,
    "CuDNNLSTM": RecurrentLayer.build("CuDNNLSTM"),
    "LSTM": RecurrentLayer.build("LSTM"),
    "RNN": RecurrentLayer.build("RNN"),
  ])
}
