package import Bytes

/// Layers that cannot be read or written, each with the reason, collected for a single error.
package struct LayerProblems {
  private var lines: [String] = []

  /// Makes a list without problems.
  package init() {
  }

  package mutating func add(_ layer: String, _ reason: String) {
    lines.append("\(layer): \(reason)")
  }

  /// Throws one error that names them all, if there are any.
  ///
  /// - Parameter words: Makes the message from the words for one layer or for several.
  package func check(_ words: (String) -> String) throws(WeighbridgeError) {
    if !lines.isEmpty { throw Self.error(lines, words) }
  }

  /// Makes the error that lists layers with the reasons.
  package static func error(_ lines: [String], _ words: (String) -> String) -> WeighbridgeError {
    let shown = lines.prefix(20).map { "\n  \($0)" }.joined()
    let rest = lines.count > 20 ? "\n  and \(lines.count - 20) more" : ""
    let layers = lines.count == 1 ? "a layer" : "\(lines.count) layers"
    return .unsupported("\(words(layers)):\(shown)\(rest)")
  }
}
