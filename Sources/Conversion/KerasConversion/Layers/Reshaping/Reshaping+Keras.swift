import Bytes
import ConversionCore
import GraphIR
import JSON
import LayerCatalog

extension Reshape: KerasMapped {
  /// Keras: `Reshape`, `Flatten`.
  static let keras = KerasMapping([
    .plain("Reshape") { (layer, inputs) throws(WeighbridgeError) in
      let target = try layer.integerList("target_shape")
      if let problem = problem(target) { throw .malformed(problem) }
      return try layer.add(Reshape(target: target), inputs)
    },
    .plain("Flatten", flatten),
  ])
  static let kerasRow: KerasRow? = KerasRow(Reshape.self) {
    (operation, builder) throws(WeighbridgeError) in
    try builder.layer("Reshape", ["target_shape": .integers(operation.target)])
  }

  /// With `data_format=channels_first` (since 2.2), Keras flattens in the order of channels-last,
  /// so that the weights of the layer behind it fit both.
  private static let flatten: KerasMapping.Build = { (layer, inputs) throws(WeighbridgeError) in
    let layout = try layer.dataLayout()
    var values = inputs
    if layout == .channelsFirst, let rank = inputs.first.map({ layer.graph.type(of: $0).rank }),
      rank >= 3
    {
      let axes = DataLayout.channelsLast.axesFromChannelsFirst(rank: rank)
      values = try layer.add(Transpose(axes: axes), inputs, role: "transpose")
    }
    return try layer.add(Reshape(target: [-1]), values)
  }
}

extension RepeatVector: KerasMapped {
  /// Keras: `RepeatVector`.
  static let keras = KerasMapping([
    .plain("RepeatVector", shape: .repetition) { (layer, inputs) throws(WeighbridgeError) in
      let count = try layer.integer("n")
      if let problem = problem(count) { throw .malformed(problem) }
      return try layer.add(RepeatVector(count: count), inputs)
    }
  ])
  static let kerasRow: KerasRow? = KerasRow(RepeatVector.self) {
    (operation, builder) throws(WeighbridgeError) in
    try builder.layer("RepeatVector", ["n": .integer(operation.count)])
  }
}

extension Transpose: KerasMapped {
  /// Keras: `Permute`, whose axes count from 1 and leave the batch axis out.
  static let keras = KerasMapping([
    .plain("Permute") { (layer, inputs) throws(WeighbridgeError) in
      let dims = try layer.integerList("dims")
      guard dims.sorted() == Array(1..<dims.count + 1) else {
        throw .malformed("dims=\(dims) is not an order of the axes 1 to \(dims.count)")
      }
      return try layer.add(Transpose(axes: [0] + dims), inputs)
    }
  ])
  static let kerasRow: KerasRow? = KerasRow(Transpose.self) {
    (operation, builder) throws(WeighbridgeError) in
    try builder.transposed(builder[0], operation.axes)
  }
}
