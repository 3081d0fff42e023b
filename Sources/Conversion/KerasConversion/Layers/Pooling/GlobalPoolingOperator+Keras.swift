import Bytes
import GraphIR
import LayerCatalog

extension GlobalPoolingOperator {
  /// Builds a Keras layer: `data_format` and `keepdims` (since 2.6).
  static func add(
    _ layer: inout KerasLayer, _ inputs: [ValueID], axes: Int
  ) throws(WeighbridgeError) -> [ValueID] {
    try layer.requireSpatialAxes(axes, of: inputs)
    let keepDims = try layer.flag("keepdims", default: false)
    return try layer.add(Self(keepDims: keepDims, layout: try layer.dataLayout()), inputs)
  }
}
