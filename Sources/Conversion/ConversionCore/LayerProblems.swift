package import Bytes

/// Layers that cannot be read or written, each with the reason, collected for a single error.
package struct LayerProblems {
  private var lines: [String] = []

  /// Creates a list without problems.
  package init() {
  }

  package mutating func add(_ layer: String, _ reason: String) {
    lines.append("\(layer): \(reason)")
  }

  /// Throws one error that lists all problems, if there are any.
  ///
  /// - Parameter message: Makes the message from `a layer` or, for example, `3 layers`.
  package func check(_ message: (String) -> String) throws(WeighbridgeError) {
    if !lines.isEmpty { throw Self.error(lines, message) }
  }

  /// Creates the error that lists layers and the reason for each.
  package static func error(_ lines: [String], _ message: (String) -> String) -> WeighbridgeError {
    let shown = lines.prefix(20).map { "\n  \($0)" }.joined()
    let rest = lines.count > 20 ? "\n  and \(lines.count - 20) more" : ""
    let layers = lines.count == 1 ? "a layer" : "\(lines.count) layers"
    return .unsupported("\(message(layers)):\(shown)\(rest)")
  }
}
