package import Bytes
import GraphIR

extension Cancellation? {
  /// Throws when the work has been cancelled.
  ///
  /// - Throws: ``WeighbridgeError/Code/cancelled``.
  package func check() throws(WeighbridgeError) {
    if let self, self.isCancelled { throw .cancelled("cancelled") }
  }
}
