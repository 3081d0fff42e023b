import Bytes
import GraphIR
import LayerCatalog

extension Transpose {
  /// Keras: `Permute`, whose axes count from 1 and leave the batch axis out.
  static let keras = KerasMapping(layers: [
    "Permute": { (layer, inputs) throws(WeighbridgeError) in
      let dims = try layer.integerList("dims")
      guard dims.sorted() == Array(1..<dims.count + 1) else {
        throw WeighbridgeError(
          .malformed, "dims=\(dims) is not an order of the axes 1 to \(dims.count)")
      }
      return try layer.add(Transpose(axes: [0] + dims), inputs)
    }
  ])
}
