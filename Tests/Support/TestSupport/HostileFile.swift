package import Weighbridge

/// A damaged file of `Samples/Hostile`, and the error that it must cause.
package struct HostileFile: CustomStringConvertible, Sendable {
  /// The name in its folder.
  package let name: String
  /// The error's code.
  package let code: WeighbridgeError.Code
  /// Parts of the message: the location, if there is one, and the reason.
  package let messages: [String]

  /// Creates the expectation for a file.
  package init(_ name: String, _ code: WeighbridgeError.Code, _ messages: String...) {
    self.name = name
    self.code = code
    self.messages = messages
  }

  /// The name, which labels the tests of the file.
  package var description: String { name }

  /// Whether an error is the one that this file must cause.
  package func explains(_ error: WeighbridgeError) -> Bool {
    error.code == code && messages.allSatisfy { error.description.contains($0) }
  }
}
