import Bytes
import GraphIR
import KerasFormat
import LayerCatalog

extension CenterCrop: KerasMapped {
  /// Keras: `CenterCrop(height, width)`.
  static let keras = KerasMapping([
    .plain("CenterCrop", casts: .all) { (layer, inputs) throws(WeighbridgeError) in
      let operation = CenterCrop(
        dimensions: try layer.imageDimensions(), layout: try layer.dataLayout())
      let type = layer.graph.type(of: try layer.onlyInput(inputs))
      try layer.requireSpatialAxes(2, of: inputs)
      let axes = operation.layout.spatialAxes(rank: type.rank)
      let isCropped = zip(axes, operation.dimensions).allSatisfy {
        (type.shape[$0].value ?? 0) >= $1
      }
      guard isCropped || layer.version >= KerasVersion(2, 15) else {
        throw WeighbridgeError(
          .unsupported,
          "images of \(type) may be too small, and what Keras \(layer.version) then does was "
            + "never compared; it is known for 2.15")
      }
      return try layer.add(operation, inputs)
    }
  ])
}
