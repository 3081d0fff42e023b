import Bytes
import GraphIR
import LayerCatalog

extension Add: KerasMapped {
  /// Keras: `Add`.
  static let keras = KerasMapping([
    .merging("Add") { (layer, inputs) throws(WeighbridgeError) in
      try layer.addMerging(Add(), inputs)
    }
  ])
}

extension Average: KerasMapped {
  /// Keras: `Average`.
  static let keras = KerasMapping([
    .merging("Average") { (layer, inputs) throws(WeighbridgeError) in
      try layer.addMerging(Average(), inputs)
    }
  ])
}

extension Maximum: KerasMapped {
  /// Keras: `Maximum`, which from 3.4 on leaves out the steps that a mask leaves out.
  static let keras = KerasMapping([
    .merging("Maximum") { (layer, inputs) throws(WeighbridgeError) in
      try layer.addExtreme(Maximum(), inputs)
    }
  ])
}

extension Minimum: KerasMapped {
  /// Keras: `Minimum`, which from 3.4 on leaves out the steps that a mask leaves out.
  static let keras = KerasMapping([
    .merging("Minimum") { (layer, inputs) throws(WeighbridgeError) in
      try layer.addExtreme(Minimum(), inputs)
    }
  ])
}

extension Subtract: KerasMapped {
  /// Keras: `Subtract`.
  static let keras = KerasMapping([
    .merging("Subtract") { (layer, inputs) throws(WeighbridgeError) in
      try layer.addMerging(Subtract(), inputs)
    }
  ])
}

extension Multiply: KerasMapped {
  /// Keras: `Multiply`, which from 3.4 on leaves out the steps that a mask leaves out, and
  /// `LayerScale` of its ConvNeXt models, which multiplies by a weight.
  static let keras = KerasMapping([
    .merging("Multiply") { (layer, inputs) throws(WeighbridgeError) in
      try layer.addProduct(of: inputs)
    },
    .plain("LayerScale") { (layer, inputs) throws(WeighbridgeError) in
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
