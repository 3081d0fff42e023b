import Bytes
import GraphIR
import LayerCatalog

extension KerasLayer {
  /// The last axis, for a function that works along it.
  ///
  /// - Throws: ``WeighbridgeError/Code/malformed`` when there is no axis besides the batch.
  static func lastAxis(of type: TensorType) throws(WeighbridgeError) -> Int {
    guard type.rank >= 2 else {
      throw WeighbridgeError(.malformed, "needs an axis besides the batch and has \(type)")
    }
    return type.rank - 1
  }
}
