import Bytes
package import JSON

extension UnknownLayers {
  /// What is known of a layer from elsewhere than its settings.
  package struct Remark {
    /// What its author says of it; may be empty.
    package var description = ""
    /// The names and shapes of its weights.
    package var weights: [(name: String, shape: [Int])] = []
    /// What the mapping file could say of its class. It is shown to the user, and never used by
    /// itself.
    package var proposal: JSONObject?

    /// Makes a remark; one that says nothing by default.
    package init(
      description: String = "", weights: [(name: String, shape: [Int])] = [],
      proposal: JSONObject? = nil
    ) {
      self.description = description
      self.weights = weights
      self.proposal = proposal
    }

    /// Fills in what a mapping of the layer says.
    func complete(_ entry: inout JSONObject) {
      if let proposal {
        entry = proposal
      } else if !weights.isEmpty {
        entry["weights"] = .array(weights.map { .string($0.name) })
      }
    }
  }

  /// How much of a description is shown.
  private static let descriptionLimit = 200

  /// What stands behind a layer's settings.
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

  /// What to do with the file that is shown; `nil` when nothing in it is proposed.
  func proposalLine(_ paths: [String]) -> String? {
    let proposed = paths.filter { remarks[$0]?.proposal != nil }
    guard !proposed.isEmpty else { return nil }
    return "Proposed for \(proposed.joined(separator: ", ")) from what the file says of "
      + (proposed.count == 1 ? "it" : "them")
      + ". Check it, save it as custom.json and add \(APIName.customLayers) custom.json:"
  }
}
