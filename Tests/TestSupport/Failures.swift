package import Weighbridge

/// Returns the error that `body` throws, for tests that examine it; `nil` when it throws none.
package func failure(_ body: () throws -> Void) -> WeighbridgeError? {
  do { try body() } catch { return error as? WeighbridgeError }
  return nil
}
