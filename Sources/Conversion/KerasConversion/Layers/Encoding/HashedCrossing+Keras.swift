import Bytes
import GraphIR
import LayerCatalog

extension HashedCrossing {
  /// Keras: `HashedCrossing(num_bins)`, of numbers.
  static let keras = KerasMapping(layers: [
    "HashedCrossing": { (layer, inputs) throws(WeighbridgeError) in
      for input in inputs {
        let type = layer.graph.type(of: input)
        guard !type.elementType.isFloat, type.rank <= 2, type.rank < 2 || type.shape[1] == 1
        else {
          throw WeighbridgeError(
            .malformed, "crosses one whole number of each element of a batch, and not \(type)")
        }
      }
      guard inputs.count >= 2 else {
        throw WeighbridgeError(.malformed, "crosses two inputs or more")
      }
      let bins = try layer.integer("num_bins")
      guard possibleCounts.contains(bins) else {
        throw WeighbridgeError(.malformed, "num_bins=\(bins)")
      }
      return try layer.addHash(HashedCrossing(buckets: bins), inputs, bins)
    }
  ])
}
