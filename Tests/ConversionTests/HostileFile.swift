import Testing
import Weighbridge

/// A broken file of `Samples/Hostile`, and how it is refused.
struct HostileFile: CustomTestStringConvertible, Sendable {
  let name: String
  let code: WeighbridgeError.Code
  /// A part of the message: the place where there is one, and the reason.
  let message: String

  init(_ name: String, _ code: WeighbridgeError.Code, _ message: String) {
    self.name = name
    self.code = code
    self.message = message
  }

  var testDescription: String { name }

  /// Whether an error is the one that this file must have.
  func explains(_ error: WeighbridgeError) -> Bool {
    error.code == code && error.description.contains(message)
  }
}
