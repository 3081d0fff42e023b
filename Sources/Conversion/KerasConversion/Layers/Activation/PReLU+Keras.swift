import Bytes
import GraphIR
import LayerCatalog

extension PReLU {
  /// Keras: `PReLU(shared_axes=None)`, which counts its axes from 1. Keras 1 does not write which
  /// axes are shared; there the weight has the size 1.
  static let keras = KerasMapping(layers: [
    "PReLU": { (layer, inputs) throws(WeighbridgeError) in
      let type = layer.graph.type(of: try layer.onlyInput(inputs))
      let shared = try layer.integerList("shared_axes", default: [])
      guard shared.allSatisfy((1..<max(1, type.rank)).contains) else {
        throw WeighbridgeError(.malformed, "shared_axes=\(shared), and the input is \(type)")
      }
      var shape: [Int] = []
      for (axis, dimension) in type.shape.enumerated().dropFirst() {
        guard let count = shared.contains(axis) ? 1 : dimension.value else {
          throw WeighbridgeError(.malformed, "the size of axis \(axis) is not known: \(type)")
        }
        shape.append(count)
      }
      return try layer.add(PReLU(), inputs + [try layer.weight("alpha", shape: shape)])
    },
    "PReLU (Keras 1)": { (layer, inputs) throws(WeighbridgeError) in
      let type = layer.graph.type(of: try layer.onlyInput(inputs))
      let alpha = try layer.sharedWeight("alpha", of: type, hasBatchAxis: false)
      return try layer.add(PReLU(), inputs + [alpha])
    },
  ])
}
