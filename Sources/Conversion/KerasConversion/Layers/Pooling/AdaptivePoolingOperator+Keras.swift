import Bytes
import LayerCatalog

extension AdaptivePoolingOperator {
  /// The builder of a Keras layer: `output_size` and `data_format`.
  static func builder(axes: Int) -> KerasMapping.Build {
    return { (layer, inputs) throws(WeighbridgeError) in
      try layer.requireSpatialAxes(axes, of: inputs)
      let dimensions = try layer.integers("output_size", count: axes)
      if let problem = Resizing.problem(dimensions) { throw WeighbridgeError(.malformed, problem) }
      return try layer.add(Self(dimensions: dimensions, layout: try layer.dataLayout()), inputs)
    }
  }
}
