import Bytes
import ConversionCore
import GraphIR
import JSON
import LayerCatalog

extension Embedding: KerasMapped {
  /// Keras: `Embedding`. Of `input_length` it makes a check of the input only. With `mask_zero`, a
  /// mask travels on beside the output that leaves out each index 0.
  static let keras = KerasMapping([
    KerasLayerClass("Embedding", masks: .ownRule, casts: .none, shape: .embedding) {
      (layer, inputs) throws(WeighbridgeError) in
      let input = try layer.onlyInput(inputs)
      let shape = [try layer.integer("input_dim"), try layer.integer("output_dim")]
      guard shape.allSatisfy({ $0 >= 1 }) else {
        throw WeighbridgeError(.malformed, "input_dim and output_dim are \(shape)")
      }
      layer.ignore("input_length")
      let hasMask = try layer.flag("mask_zero", default: false)
      try layer.require("sparse", toBe: false, because: "sparse tensors cannot be had")
      layer.ignore("lora_rank", "lora_alpha")  // Keras' own files have the sum.
      let outputs: [ValueID]
      if let quantization = try layer.takeQuantization() {
        outputs = [try addQuantized(quantization, to: &layer, input, shape: shape)]
      } else {
        outputs = try layer.add(Embedding(), [input, try layer.weight("table", shape: shape)])
      }
      if hasMask { layer.setMask(try layer.isNotZero(input), of: outputs[0]) }
      return outputs
    },
    KerasLayerClass(
      "ReversibleEmbedding", masks: .ownRule, casts: .floats, shape: .unknown, reversible),
  ])
  static let kerasRow: KerasRow? = KerasRow(Embedding.self) {
    (_, builder) throws(WeighbridgeError) in
    let table = try builder.tensor(1)
    return try builder.layer(
      "Embedding",
      [
        "input_dim": .integer(table.shape[0]), "output_dim": .integer(table.shape[1]),
        "mask_zero": false,
      ], weights: [KerasLayerWeight(name: "embeddings", tensor: table)])
  }
}

extension KerasLayer {
  /// Which elements differ from 0: the mask of indices of which 0 says that there is none.
  mutating func isNotZero(_ input: ValueID) throws(WeighbridgeError) -> ValueID {
    let type = graph.type(of: input)
    // Each kind of input has its own: the layer may be called with several.
    let zero = try constant(
      "mask_zero_\(type.elementType.rawValue)_\(type.rank)d",
      Tensor(type.elementType, shape: type.shape.map { _ in 1 }, [0]))
    return try add(Comparison(.notEqual), [input, zero], role: "mask")[0]
  }
}
