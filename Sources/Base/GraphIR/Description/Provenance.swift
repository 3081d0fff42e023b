/// Where a model came from and how it was understood.
public struct Provenance: Hashable, Sendable {
  /// A file the model was made of.
  public struct Source: Hashable, Sendable {
    /// The file's name without its folder.
    public var fileName: String
    /// What it contributed: `model`, `architecture`, `weights`, `labels`,
    /// `custom-layers`.
    public var role: String
    /// The size in bytes.
    public var byteCount: Int
    /// The SHA-256 digest of its bytes, 32 bytes.
    public var sha256: [UInt8]

    /// Makes a source.
    public init(fileName: String, role: String, byteCount: Int, sha256: [UInt8]) {
      self.fileName = fileName
      self.role = role
      self.byteCount = byteCount
      self.sha256 = sha256
    }
  }

  /// How something was understood that the source leaves open.
  public struct Decision: Hashable, Sendable {
    /// The name of the layer, input or output; empty when it is about the whole model.
    public var layer: String
    /// What was decided, and why.
    public var text: String

    /// Makes a decision.
    public init(layer: String, text: String) {
      self.layer = layer
      self.text = text
    }
  }

  /// The files, in the order in which they were named.
  public var sources: [Source] = []
  /// The framework that wrote them, for example `keras`.
  public var framework: String = ""
  /// Its version, when the files say so or the user did.
  public var frameworkVersion: String?
  /// Its back end, for example `tensorflow`, when the files say so or the user did.
  public var backend: String?
  /// The version of Weighbridge that converted them.
  public var converter: String = ""
  /// The options given that changed the result, by name.
  public var options: [String: String] = [:]
  /// The decisions, in the order of the layers.
  public var decisions: [Decision] = []

  /// The decisions without repetition: each text once, with the names it is about, empty ones included.
  package var decisionGroups: [(text: String, layers: [String])] {
    var positions: [String: Int] = [:]
    var groups: [(text: String, layers: [String])] = []
    for decision in decisions {
      if let position = positions[decision.text] {
        groups[position].layers.append(decision.layer)
      } else {
        positions[decision.text] = groups.count
        groups.append((decision.text, [decision.layer]))
      }
    }
    return groups
  }

  /// Nothing is known yet.
  public init() {}
}
