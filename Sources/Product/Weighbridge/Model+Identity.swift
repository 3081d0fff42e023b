public import Bytes
import WBMConversion

extension Model {
  /// Returns a SHA-256 digest, 32 bytes, of what the model computes and how its inputs and outputs
  /// are interpreted: the graph, the weights, image settings, labels and detector. A model has the
  /// same digest as the `.wbm` file made from it; author, license and references do not matter.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` when a string of the description contains a
  ///   NUL; ``WeighbridgeError/Code/limitExceeded`` when there is no memory for a digest.
  /// - Complexity: Reads each weight once.
  public func identity() throws(WeighbridgeError) -> [UInt8] {
    try WBMExporter.identity(of: content)
  }
}
