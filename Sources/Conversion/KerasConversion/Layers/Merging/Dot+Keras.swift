import Bytes
import GraphIR
import KerasFormat
import LayerCatalog

extension Dot {
  /// Keras: `Dot(axes, normalize=False)`, where `axes` is one number for both inputs or one for
  /// each; of Keras 1 `Merge` with `mode="cos"`.
  static let keras = KerasMapping(layers: [
    "Dot": { (layer, inputs) throws(WeighbridgeError) in try add(&layer, inputs) },
    "Merge (Keras 1)": cosine,
  ])

  private static func add(
    _ layer: inout KerasLayer, _ inputs: [ValueID]
  ) throws(WeighbridgeError) -> [ValueID] {
    guard inputs.count == 2 else {
      throw WeighbridgeError(.malformed, "takes two inputs and has \(inputs.count)")
    }
    let types = inputs.map { layer.graph.type(of: $0) }
    // Up to the Keras of TensorFlow 2.3, more axes were multiplied in pairs.
    guard types.allSatisfy({ $0.rank <= 3 }) || layer.version >= KerasVersion(2, 4) else {
      throw WeighbridgeError(
        .unsupported,
        "Keras \(layer.version) sums \(types[0]) and \(types[1]) in a way of its own")
    }
    let written = try layer.integers("axes", count: 2)
    let operation = Dot(
      firstAxis: try KerasLayer.axis(written[0], of: types[0]),
      secondAxis: try KerasLayer.axis(written[1], of: types[1]),
      normalizes: try layer.flag("normalize", default: false))
    guard operation.firstAxis >= 1, operation.secondAxis >= 1 else {
      throw WeighbridgeError(.malformed, "axes=\(written), and axis 0 is the batch")
    }
    return try layer.add(operation, inputs)
  }
}
