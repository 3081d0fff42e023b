import Bytes
import GraphIR
import LayerCatalog

extension Reshape {
  /// Keras: `Reshape`, `Flatten`.
  static let keras = KerasMapping(layers: [
    "Reshape": { (layer, inputs) throws(WeighbridgeError) in
      let target = try layer.integerList("target_shape")
      if let problem = problem(target) { throw WeighbridgeError(.malformed, problem) }
      return try layer.add(Reshape(target: target), inputs)
    },
    "Flatten": { (layer, inputs) throws(WeighbridgeError) in try flatten(&layer, inputs) },
  ])

  /// With `data_format=channels_first` (since 2.2), Keras flattens in the order of channels-last,
  /// so that the weights of the layer behind it fit both.
  private static func flatten(
    _ layer: inout KerasLayer, _ inputs: [ValueID]
  ) throws(WeighbridgeError) -> [ValueID] {
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
