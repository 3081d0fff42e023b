import Bytes
import ConversionCore
import DarknetFormat
import GraphIR
import LayerCatalog

/// `[connected]`, `[activation]`, `[softmax]`, `[rnn]`, `[gru]`, `[lstm]` and what has no settings.
enum DarknetRecoveredVectors {
  static let sections: [String: DarknetRecoveredLayer.Describe] = [
    "connected": { (layer, section) throws(WeighbridgeError) in
      section.flag("batch_normalize", layer.has("batch_normalization"))
      section.set("output", try layer.units(""))
      section.set("activation", try layer.activation())
    },
    "activation": { (layer, section) throws(WeighbridgeError) in
      let isPlain = layer.nodes[0].operation is Identity
      section.set("activation", isPlain ? "linear" : try layer.activation(""))
    },
    "logistic": plain, "dropout": plain, "empty": plain, "batchnorm": plain, "l2norm": plain,
    "avgpool": plain,
    "softmax": { (layer, section) throws(WeighbridgeError) in
      if layer.nodes.contains(where: { $0.operation is GroupedSoftmax }) { throw tree }
      if layer.has("scale") {
        section.set("temperature", 1 / (try layer.operation(Rescaling.self).scale[0]))
      }
      if layer.has("split") {
        section.set("groups", try layer.operation(Reshape.self, "split").target[0])
      } else if try layer.operation(Softmax.self).axes == [1], layer.has("softmax") {
        section.set("spatial", 1)
      }
    },
    "rnn": { (layer, section) throws(WeighbridgeError) in
      section.flag("batch_normalize", layer.has("input/batch_normalization"))
      section.set("output", try layer.units("output"))
      if layer.fork == .alexeyab { section.set("hidden", try layer.units("input")) }
      let activation = try layer.activation("input/activation")
      let inner = try layer.activation("self/activation")
      section.set("activation", activation)
      if inner != activation { section.set("logistic", inner == "loggy" ? 2 : 1) }
    },
    "gru": { (layer, section) throws(WeighbridgeError) in
      section.flag("batch_normalize", layer.has("uz/batch_normalization"))
      section.set("output", try layer.units("uz"))
      section.flag("tanh", try layer.activation("h") == "tanh")
    },
    "lstm": { (layer, section) throws(WeighbridgeError) in
      section.flag("batch_normalize", layer.has("uf/batch_normalization"))
      section.set("output", try layer.units("uf"))
    },
  ]

  /// A section without settings.
  private static let plain: DarknetRecoveredLayer.Describe = { (_, _) throws(WeighbridgeError) in }

  static let tree = WeighbridgeError(
    .unsupported, "its classes form a tree, whose names and parents are not in the model")
}

extension DarknetRecoveredLayer {
  /// How many outputs the fully connected node of a role has.
  func units(_ role: String) throws(WeighbridgeError) -> Int {
    try inputShape(try node(Dense.self, role).node, 1)[0]
  }
}
