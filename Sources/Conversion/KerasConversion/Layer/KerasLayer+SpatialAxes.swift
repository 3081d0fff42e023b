import Bytes
import GraphIR
import LayerCatalog

extension KerasLayer {
  /// Refuses an input that has another number of spatial axes than the layer's class says.
  func requireSpatialAxes(_ count: Int, of inputs: [ValueID]) throws(WeighbridgeError) {
    for type in inputs.map({ graph.type(of: $0) }) where type.rank != count + 2 {
      throw WeighbridgeError(
        .malformed, "takes \(count) spatial axes and has the input \(type)")
    }
  }
}
