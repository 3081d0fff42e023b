import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

/// `[connected]`, `[activation]`, `[logistic]`, and the sections that have no effect in inference.
enum DarknetConnections {
  static let sections: [String: DarknetSectionForm] = [
    "connected": DarknetSectionForm(build: connected) { (layer, section) throws(WeighbridgeError) in
      section.flag("batch_normalize", layer.has("batch_normalization"))
      section.set("output", try layer.units(""))
      section.set("activation", try layer.activation())
    },
    "activation": DarknetSectionForm(
      build: { (layer) throws(WeighbridgeError) in
        let name = try layer.activationName(default: "linear")
        return try layer.asOutput(try layer.activated(layer.input, name, role: ""))
      },
      describe: { (layer, section) throws(WeighbridgeError) in
        let isLinear = layer.nodes[0].operation is Identity
        section.set("activation", isLinear ? "linear" : try layer.activation(""))
      }),
    "logistic": DarknetSectionForm(
      build: { (layer) throws(WeighbridgeError) in
        try layer.add(Sigmoid(), [layer.input])
      }),
    "dropout": DarknetSectionForm(
      build: { (layer) throws(WeighbridgeError) in
        let rate = try layer.double("probability", default: 0.5)
        return try layer.add(Identity(noise: TrainingNoise(.dropout, rate: rate)), [layer.input])
      }),
    "empty": DarknetSectionForm(build: identity),
    "cost": DarknetSectionForm(build: { (_) throws(WeighbridgeError) in nil }),
    "contrastive": DarknetSectionForm(build: { (_) throws(WeighbridgeError) in nil }),
  ]

  private static let identity: DarknetLayer.Build = { (layer) throws(WeighbridgeError) in
    try layer.add(Identity(), [layer.input])
  }

  private static let connected: DarknetLayer.Build = { (layer) throws(WeighbridgeError) in
    let outputs = try layer.integer("output", default: 1, in: 1...1 << 24)
    let activation = try layer.activationName(default: "logistic")
    let normalizes = try layer.flag("batch_normalize")
    try layer.checkLoading()
    let row = try layer.flattened(layer.input)
    let weights = try layer.connectedWeights(
      "", inputs: try layer.count(of: row), outputs: outputs, normalizes: normalizes)
    let output = try layer.connected(row, weights, activation: activation)
    return try layer.add(Reshape(target: [outputs, 1, 1]), [output], role: "reshape")
  }
}

extension DarknetLayer {
  /// Makes a value the output of this layer; the input itself gets an identity node.
  mutating func asOutput(_ value: ValueID) throws(WeighbridgeError) -> ValueID {
    value == input ? try add(Identity(), [value]) : value
  }
}
