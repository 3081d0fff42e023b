import Bytes
import LayerCatalog

/// States which layers of Keras can be read; for tables and tests.
package enum KerasSupport {
  /// How a layer class is handled.
  package enum Verdict: Hashable, Sendable {
    /// It is read.
    case read
    /// It is read where a mapping states what it computes (`ReadOptions.customLayers`).
    case mapped
    /// It is refused, with the reason.
    case refused(String)
  }

  /// How a layer class written by a generation of Keras is handled.
  ///
  /// - Parameter generation: 1, 2 or 3.
  package static func verdict(on className: String, generation: Int) -> Verdict {
    if className == "Lambda" { return .mapped }
    if models.contains(className) { return .read }
    if let reason = Catalog.kerasRefusals[className] { return .refused(reason) }
    let isKnown =
      generation == 1
      ? Keras1Class.names.contains(className)
      : KerasMappings.layers[className] != nil
        || KerasMappings.classes[className]?.isPartOfOthers ?? false
    return isKnown ? .read : .refused("it is not known")
  }

  /// The Keras 2 name of a layer class of Keras 1; `nil` for a class that Keras 1 does not have.
  package static func newerName(ofKeras1 className: String) -> String? {
    Keras1Class.newerName(of: className)
  }

  /// Classes that are read as a model or as a part of one.
  private static let models: Set = ["InputLayer", "Pipeline"]
}

extension Catalog {
  /// The reasons why layers of Keras are not supported, where there is one other than that they are
  /// unknown.
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
    "tensors of strings are not supported; with \(APIName.fromTokenIDs) the model takes token IDs"
}
