import Bytes
import LayerCatalog

extension Catalog {
  /// Why layers of Keras cannot be had, where there is more to say than that nobody knows them.
  static let kerasRefusals: [String: String] = [
    "ConvLSTM2DCell": "RNN takes cells over vectors only; ConvLSTM2D is read",
    "DenseFeatures": "feature columns are TensorFlow's own",
    "FlaxLayer": "it is a program and not a layer",
    "JaxLayer": "it is a program and not a layer",
    "StringLookup": lookup,
    "TFSMLayer": "it runs a SavedModel",
    "TextVectorization": lookup,
    "TorchModuleWrapper": "it is a program and not a layer",
  ]

  private static let lookup =
    "tensors of texts cannot be had; \(APIName.startsAtTokens) takes what it looks up"
}
