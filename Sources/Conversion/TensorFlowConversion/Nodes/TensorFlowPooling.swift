import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

/// Pooling in windows.
enum TensorFlowPooling {
  static let nodes: TensorFlowOperators.Table = [
    "AvgPool": mean, "AvgPool3D": mean, "MaxPool": maximum, "MaxPool3D": maximum,
  ]

  private static let mean: TensorFlowLayer.Build = { (layer) throws(WeighbridgeError) in
    let (input, layout) = (try layer.input(), try layer.layout())
    let window = try layer.window(nil, layout, rank: layer.type(input).rank)
    let operation = AveragePooling(window: window, countIncludePad: false, layout: layout)
    return [try layer.apply(operation, to: input)]
  }

  private static let maximum: TensorFlowLayer.Build = { (layer) throws(WeighbridgeError) in
    let (input, layout) = (try layer.input(), try layer.layout())
    let window = try layer.window(nil, layout, rank: layer.type(input).rank)
    return [try layer.apply(MaxPooling(window: window, layout: layout), to: input)]
  }
}
