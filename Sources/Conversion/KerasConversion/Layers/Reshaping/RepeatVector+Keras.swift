import Bytes
import GraphIR
import LayerCatalog

extension RepeatVector {
  /// Keras: `RepeatVector`.
  static let keras = KerasMapping(layers: [
    "RepeatVector": { (layer, inputs) throws(WeighbridgeError) in
      let count = try layer.integer("n")
      if let problem = problem(count) { throw WeighbridgeError(.malformed, problem) }
      return try layer.add(RepeatVector(count: count), inputs)
    }
  ])
}
