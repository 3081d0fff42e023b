import Bytes
import GraphIR
import LayerCatalog

extension Multiply {
  /// Keras: `Multiply`, which from 3.4 on leaves out the steps that a mask leaves out, and
  /// `LayerScale` of its ConvNeXt models, which multiplies by a weight.
  static let keras = KerasMapping(layers: [
    "Multiply": { (layer, inputs) throws(WeighbridgeError) in
      try layer.addProduct(of: inputs)
    },
    "LayerScale": { (layer, inputs) throws(WeighbridgeError) in
      let input = try layer.onlyInput(inputs)
      let type = layer.graph.type(of: input)
      layer.ignore("init_values")
      let count = try layer.integer("projection_dim")
      guard count >= 1, type.rank >= 1 else {
        throw WeighbridgeError(.malformed, "projection_dim=\(count) of \(type)")
      }
      let ones = [Int](repeating: 1, count: type.rank - 1)
      let gamma = try layer.weight("gamma", shape: [count]) { $0.reshaped(ones + [count]) }
      return try layer.add(Multiply(), [input, gamma])
    },
  ])
}
