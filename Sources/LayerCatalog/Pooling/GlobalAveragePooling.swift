import Bytes
package import GraphIR

/// The mean of all elements of a channel (Lin et al. 2013).
///
/// - input: `[batch, spatial..., channels]` or `[batch, channels, spatial...]`, by `layout`
/// - output: `[batch, channels]`, or the input's axes with 1 element along each spatial one
package struct GlobalAveragePooling: GlobalPoolingOperator {
  /// Whether the output keeps the spatial axes, with the size 1.
  package let keepDims: Bool
  /// The order of the input's axes.
  package let layout: DataLayout

  package static let kind = "global_average_pooling"
  package static let version = 1

  /// Makes the operator.
  package init(keepDims: Bool, layout: DataLayout) {
    self.keepDims = keepDims
    self.layout = layout
  }
}

extension GlobalAveragePooling {
  package func pool(_ plane: ArraySlice<Double>) -> Double {
    plane.reduce(0, +) / Double(plane.count)
  }

  package var tolerance: Tolerance { .standard(for: .float32) }

  /// Keras: `GlobalAveragePooling1D`, `GlobalAveragePooling2D`, `GlobalAveragePooling3D`. Of an input
  /// with a mask, the first takes the mean of the steps that count.
  package static let keras = SourceMapping.mapped(
    KerasMapping(layers: [
      "GlobalAveragePooling1D": { (layer, inputs) throws(WeighbridgeError) in
        let input = try layer.onlyInput(inputs)
        guard let mask = layer.takeTensors("mask").first ?? layer.mask(of: input) else {
          return try add(&layer, inputs, axes: 1)
        }
        let keepDims = try layer.flag("keepdims", default: false)
        return try layer.add(
          MaskedAveragePooling(keepDims: keepDims, layout: try layer.dataLayout()),
          [input, mask])
      },
      "GlobalAveragePooling2D": { (layer, inputs) throws(WeighbridgeError) in
        try add(&layer, inputs, axes: 2)
      },
      "GlobalAveragePooling3D": { (layer, inputs) throws(WeighbridgeError) in
        try add(&layer, inputs, axes: 3)
      },
    ]))
}
