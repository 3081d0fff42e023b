package import Weighbridge

/// Returns the error that `body` throws, for tests that examine it; `nil` when it throws none.
///
/// An error of another type is in the reason of an error that no test expects.
package func failure(_ body: () throws -> Void) -> WeighbridgeError? {
  do {
    try body()
    return nil
  } catch let error as WeighbridgeError {
    return error
  } catch {
    return WeighbridgeError(.cancelled, "an error of another type: \(error)")
  }
}

extension WeighbridgeError {
  /// Whether the error has a code, and its description contains a phrase.
  package func has(_ code: Code, _ phrase: String) -> Bool {
    self.code == code && description.contains(phrase)
  }
}
