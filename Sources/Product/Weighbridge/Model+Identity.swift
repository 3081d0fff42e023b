public import Bytes
import WBMConversion

extension Model {
  /// A SHA-256 digest, 32 bytes, of what the model computes and how its inputs and outputs are
  /// understood: the graph, the weights, image settings, labels and detector. A model and the `.wbm`
  /// file that was made of it have the same; its author, license and references do not matter.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` when a string of the description holds a NUL;
  ///   ``WeighbridgeError/Code/limitExceeded`` when there is no memory for a digest.
  /// - Complexity: Reads each weight once.
  public func identity() throws(WeighbridgeError) -> [UInt8] {
    try WBMExporter.identity(of: content)
  }
}
