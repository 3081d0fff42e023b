import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

extension AveragePooling: KerasMapped {
  /// Keras: `AveragePooling1D`, `AveragePooling2D`, `AveragePooling3D`. Padding does
  /// not count, except in some versions on Theano.
  static let keras = KerasMapping(
    KerasLayerClass.spatial("AveragePooling", shape: { .window(axes: $0) }) { axes in
      { (layer, inputs) throws(WeighbridgeError) in
        let window = try layer.poolingWindow(axes: axes)
        let layout = try layer.dataLayout()
        let countIncludePad = axes <= 2 && layer.averagesPaddingOnTheano
        return try layer.add(
          AveragePooling(window: window, countIncludePad: countIncludePad, layout: layout), inputs)
      }
    })
}

extension MaxPooling: KerasMapped {
  /// Keras: `MaxPooling1D`, `MaxPooling2D`, `MaxPooling3D`.
  static let keras = KerasMapping(
    KerasLayerClass.spatial("MaxPooling", shape: { .window(axes: $0) }) { axes in
      { (layer, inputs) throws(WeighbridgeError) in
        let window = try layer.poolingWindow(axes: axes)
        return try layer.add(MaxPooling(window: window, layout: try layer.dataLayout()), inputs)
      }
    })
}

extension GlobalAveragePooling: KerasMapped {
  /// Keras: `GlobalAveragePooling1D`, `GlobalAveragePooling2D`, `GlobalAveragePooling3D`. Of an input
  /// with a mask, the first takes the mean of the steps that count.
  static let keras = KerasMapping(
    KerasLayerClass.spatial("GlobalAveragePooling", shape: { .pooling(axes: $0) }) { axes in
      { (layer, inputs) throws(WeighbridgeError) in
        let input = try layer.onlyInput(inputs)
        guard axes == 1, let mask = layer.takeTensors("mask").first ?? layer.mask(of: input) else {
          return try add(&layer, inputs, axes: axes)
        }
        let keepDims = try layer.flag("keepdims", default: false)
        return try layer.add(
          MaskedAveragePooling(keepDims: keepDims, layout: try layer.dataLayout()),
          [input, mask])
      }
    })
}

extension GlobalMaxPooling: KerasMapped {
  /// Keras: `GlobalMaxPooling1D`, `GlobalMaxPooling2D`, `GlobalMaxPooling3D`.
  static let keras = KerasMapping(
    KerasLayerClass.spatial("GlobalMaxPooling", shape: { .pooling(axes: $0) }) { axes in
      { (layer, inputs) throws(WeighbridgeError) in try add(&layer, inputs, axes: axes) }
    })
}

extension GlobalPoolingOperator {
  /// Builds a Keras layer: `data_format` and `keepdims` (since 2.6).
  fileprivate static func add(
    _ layer: inout KerasLayer, _ inputs: [ValueID], axes: Int
  ) throws(WeighbridgeError) -> [ValueID] {
    try layer.requireSpatialAxes(axes, of: inputs)
    let keepDims = try layer.flag("keepdims", default: false)
    return try layer.add(Self(keepDims: keepDims, layout: try layer.dataLayout()), inputs)
  }
}

extension AdaptiveAveragePooling: KerasMapped {
  /// Keras 3: `AdaptiveAveragePooling1D`, `AdaptiveAveragePooling2D`, `AdaptiveAveragePooling3D`.
  static let keras = mapping("AdaptiveAveragePooling")
}

extension AdaptiveMaxPooling: KerasMapped {
  /// Keras 3: `AdaptiveMaxPooling1D`, `AdaptiveMaxPooling2D`, `AdaptiveMaxPooling3D`.
  static let keras = mapping("AdaptiveMaxPooling")
}

extension AdaptivePoolingOperator {
  /// Keras' layers with `output_size` and `data_format`.
  fileprivate static func mapping(_ name: String) -> KerasMapping {
    KerasMapping(
      KerasLayerClass.spatial(name, shape: { _ in .unknown }) { axes in
        { (layer, inputs) throws(WeighbridgeError) in
          try layer.requireSpatialAxes(axes, of: inputs)
          let dimensions = try layer.integers("output_size", count: axes)
          if let problem = Resizing.problem(dimensions) {
            throw WeighbridgeError(.malformed, problem)
          }
          return try layer.add(Self(dimensions: dimensions, layout: try layer.dataLayout()), inputs)
        }
      },
      rows: [
        KerasRow(Self.self, unsupported: "its layer is in the latest versions of Keras 3 only")
      ])
  }
}
