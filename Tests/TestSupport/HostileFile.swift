package import Weighbridge

/// A broken file of `Samples/Hostile`, and how it is refused.
package struct HostileFile: CustomStringConvertible, Sendable {
  /// The name in its folder.
  package let name: String
  /// The error's code.
  package let code: WeighbridgeError.Code
  /// Parts of the message: the place where there is one, and the reason.
  package let messages: [String]

  /// Makes the expectation of a file.
  package init(_ name: String, _ code: WeighbridgeError.Code, _ messages: String...) {
    self.name = name
    self.code = code
    self.messages = messages
  }

  /// The name, which is what a test of the file is called.
  package var description: String { name }

  /// Whether an error is the one that this file must have.
  package func explains(_ error: WeighbridgeError) -> Bool {
    error.code == code && messages.allSatisfy { error.description.contains($0) }
  }
}
