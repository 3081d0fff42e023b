import Bytes
import GraphIR
import LayerCatalog

extension ConvLSTM {
  /// Keras: `ConvLSTM1D`, `ConvLSTM2D`, `ConvLSTM3D`. See ``RecurrentLayer``.
  static let keras = KerasMapping(layers: [
    "ConvLSTM1D": RecurrentLayer.build("ConvLSTM1D"),
    "ConvLSTM2D": RecurrentLayer.build("ConvLSTM2D"),
    "ConvLSTM3D": RecurrentLayer.build("ConvLSTM3D"),
  ])
}
