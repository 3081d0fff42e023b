import Bytes
package import JSON
import KerasFormat

extension UnknownLayers {
  /// What is known about a layer from other sources than its settings.
  package struct Remark {
    /// The author's description; may be empty.
    package var description = ""
    /// The names and shapes of its weights.
    package var weights: [(name: String, shape: [Int])] = []
    /// A proposed mapping for its class. It is shown to the user and never applied automatically.
    package var proposal: JSONObject?

    /// Creates a remark, which is empty by default.
    package init(
      description: String = "", weights: [(name: String, shape: [Int])] = [],
      proposal: JSONObject? = nil
    ) {
      self.description = description
      self.weights = weights
      self.proposal = proposal
    }

    /// Fills in a mapping of the layer.
    func complete(_ entry: inout JSONObject) {
      if let proposal {
        entry = proposal
      } else if !weights.isEmpty {
        entry["weights"] = .array(weights.map { .string($0.name) })
      }
    }
  }

  /// The number of characters of a description that are shown.
  private static let descriptionLimit = 200

  /// The parts of a layer's line that follow its settings.
  func remarkParts(_ path: String) -> [String] {
    guard let remark = remarks[path] else { return [] }
    var parts: [String] = []
    if !remark.weights.isEmpty {
      let list = remark.weights.map { "\($0.name) \($0.shape)" }
      parts.append("weights " + list.joined(separator: ", "))
    }
    let words = remark.description.split { $0.isWhitespace || $0.isNewline }
    // A description must not reach a terminal with control characters in it.
    let text = words.joined(separator: " ").filter { character in
      character.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    }
    if !text.isEmpty {
      let isLong = text.count > Self.descriptionLimit
      let shown = isLong ? "\(text.prefix(Self.descriptionLimit))..." : text
      parts.append("described as \"\(shown)\"")
    }
    return parts
  }

  /// The instruction for the file that is shown; `nil` when it contains no proposal.
  func proposalLine(_ paths: [String]) -> String? {
    let proposed = paths.filter { remarks[$0]?.proposal != nil }
    guard !proposed.isEmpty else { return nil }
    return "Proposed for \(proposed.joined(separator: ", ")) from what the file says of "
      + (proposed.count == 1 ? "it" : "them")
      + ". Check it, save it as custom.json and add \(APIName.customLayers) custom.json:"
  }
}
