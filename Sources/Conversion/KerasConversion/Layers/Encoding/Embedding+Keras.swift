import Bytes
import ConversionCore
import GraphIR
import JSON
import KerasFormat
import LayerCatalog

extension Embedding: KerasMapped {
  /// Keras: `Embedding`. It uses `input_length` only to check the input. With `mask_zero`, the
  /// output has a mask that excludes each index 0.
  static let keras = KerasMapping([
    KerasLayerClass("Embedding", masks: .handledByBuilder, casts: .none, shape: .embedding) {
      (layer, inputs) throws(WeighbridgeError) in
      let input = try layer.onlyInput(inputs)
      let shape = try layer.tableShape()
      layer.ignore("input_length")
      let hasMask = try layer.flag("mask_zero", default: false)
      try layer.require("sparse", toBe: false, because: "sparse tensors are not supported")
      layer.ignore("lora_rank", "lora_alpha")  // Keras' own files contain the sum.
      let operation = Embedding(layer)
      let outputs: [ValueID]
      if let quantization = try layer.takeQuantization() {
        outputs = [try operation.addQuantized(quantization, to: &layer, input, shape: shape)]
      } else {
        outputs = try layer.add(operation, [input, try layer.weight("table", shape: shape)])
      }
      if hasMask { layer.setMask(try layer.isNotZero(input), of: outputs[0]) }
      return outputs
    },
    KerasLayerClass(
      "ReversibleEmbedding", masks: .handledByBuilder, casts: .floats, shape: .unknown, reversible),
  ])
  static let kerasRow = row { (_, builder) throws(WeighbridgeError) in
    let table = try builder.tensor(1)
    return try builder.layer(
      "Embedding",
      [
        "input_dim": .integer(table.shape[0]), "output_dim": .integer(table.shape[1]),
        "mask_zero": .bool(builder.fusion.masksIndices(builder.position)),
      ], weights: [KerasLayerWeight(name: "embeddings", tensor: table)])
  }
}

/// Keras 3: `ReversibleEmbedding`, which is an ``Embedding``, or, called with `reverse=True`, a
/// ``Dense`` layer whose kernel is the table (Press and Wolf 2017) or a separate one.
extension Embedding {
  /// A layer's look-up: Keras 3 counts negative indices from the end, on TensorFlow from 3.3 on.
  fileprivate init(_ layer: KerasLayer) {
    let isFromEnd = layer.version >= KerasVersion(3, 3) || layer.writer.isJAX
    self.init(negativeIndices: isFromEnd ? .fromEnd : nil)
  }

  private static let reversible: KerasMapping.Build = { (layer, inputs) throws(WeighbridgeError) in
    let input = try layer.onlyInput(inputs)
    let shape = try layer.tableShape()
    let isTied = try layer.flag("tie_weights", default: true)
    let cap = try layer.optionalReal("logit_soft_cap")
    let hasMask = try layer.flag("mask_zero", default: false)
    try layer.require("reverse_dtype", toBe: "float32", because: "only float32 is supported")
    try layer.require(
      "lora_rank", toBe: .null,
      because: "weights in another form than the layer's own are not supported")
    let isReverse = try layer.argumentFlag("reverse", position: 1)
    guard isReverse else {
      let table = try layer.weight("table", shape: shape)
      if !isTied { try layer.ignoreWeight("kernel", shape: shape.reversed(), isTrainable: true) }
      let outputs = try layer.add(Embedding(layer), [input, table])
      if hasMask { layer.setMask(try layer.isNotZero(input), of: outputs[0]) }
      return outputs
    }
    if !isTied { try layer.ignoreWeight("table", shape: shape, isTrainable: true) }
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
  /// Reads `input_dim` and `output_dim`: the rows and columns of a table.
  fileprivate mutating func tableShape() throws(WeighbridgeError) -> [Int] {
    let shape = [try integer("input_dim"), try integer("output_dim")]
    guard shape.allSatisfy({ $0 >= 1 }) else {
      throw .malformed("input_dim and output_dim are \(shape), expected at least 1")
    }
    return shape
  }

  /// Adds a mask of the indices other than 0, which means none.
  mutating func isNotZero(_ input: ValueID) throws(WeighbridgeError) -> ValueID {
    let type = graph.type(of: input)
    // Each input type has its own zero, since the layer may be called with several types.
    let zero = try constant(
      "mask_zero_\(type.elementType.rawValue)_\(type.rank)d",
      Tensor(type.elementType, shape: type.shape.map { _ in 1 }, [0]))
    return try add(Comparison(.notEqual), [input, zero], role: "mask")[0]
  }

  /// Adds a soft cap: cap · tanh(x / cap).
  fileprivate mutating func addCap(
    _ cap: Double, to values: [ValueID]
  ) throws(WeighbridgeError) -> [ValueID] {
    guard cap != 0 else {
      throw .malformed(
        "logit_soft_cap=0, expected another number, by which the logits are "
          + "divided")
    }
    let scaled = try add(Rescaling(scale: [1 / cap], offset: [0]), values, role: "divided")
    let limited = try add(Tanh(), scaled, role: "tanh")
    return try add(Rescaling(scale: [cap], offset: [0]), limited)
  }
}
