import Bytes
import GraphIR
import JSON
import LayerCatalog

/// Keras 3: `ReversibleEmbedding`, which is an ``Embedding``, or, called with `reverse=True`, a
/// ``Dense`` layer whose kernel is the table (Press and Wolf 2017) or a second one.
extension Embedding {
  static let reversible: KerasMapping.Build = { (layer, inputs) throws(WeighbridgeError) in
    let input = try layer.onlyInput(inputs)
    let shape = [try layer.integer("input_dim"), try layer.integer("output_dim")]
    guard shape.allSatisfy({ $0 >= 1 }) else {
      throw WeighbridgeError(.malformed, "input_dim and output_dim are \(shape)")
    }
    let isTied = try layer.flag("tie_weights", default: true)
    let cap = try layer.optionalReal("logit_soft_cap")
    let hasMask = try layer.flag("mask_zero", default: false)
    try layer.require("reverse_dtype", toBe: "float32", because: "only float32 can be had")
    try layer.require(
      "lora_rank", toBe: .null,
      because: "weights in another form than the layer's own cannot be had")
    let isReverse = try layer.argumentFlag("reverse", position: 1)
    guard isReverse else {
      let table = try layer.weight("table", shape: shape)
      if !isTied { try layer.ignoreWeight("kernel", shape: shape.reversed(), isTrained: true) }
      let outputs = try layer.add(Embedding(), [input, table])
      if hasMask { layer.setMask(try layer.isNotZero(input), of: outputs[0]) }
      return outputs
    }
    if !isTied { try layer.ignoreWeight("table", shape: shape, isTrained: true) }
    let kernel =
      isTied
      ? try layer.weight("table", shape: shape)
      : try layer.weight("kernel", shape: shape.reversed()) { $0.permuted([1, 0]) }
    let logits = try layer.add(
      Dense(hasBias: false), [input, kernel], role: cap == nil ? "" : "logits")
    guard let cap else { return logits }
    return try layer.addCap(cap, to: logits)
  }
}

extension KerasLayer {
  /// Lets no number go beyond a limit: cap tanh(x / cap).
  fileprivate mutating func addCap(
    _ cap: Double, to values: [ValueID]
  ) throws(WeighbridgeError) -> [ValueID] {
    guard cap != 0 else { throw WeighbridgeError(.malformed, "logit_soft_cap=0") }
    let small = try add(Rescaling(scale: [1 / cap], offset: [0]), values, role: "divided")
    let bent = try add(Tanh(), small, role: "tanh")
    return try add(Rescaling(scale: [cap], offset: [0]), bent)
  }
}
