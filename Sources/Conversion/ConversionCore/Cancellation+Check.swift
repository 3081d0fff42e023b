package import Bytes
import GraphIR

extension Cancellation? {
  /// Ends the work when that was asked for.
  ///
  /// - Throws: ``WeighbridgeError/Code/cancelled``.
  package func check() throws(WeighbridgeError) {
    if let self, self.isCancelled { throw .cancelled("cancelled") }
  }
}
