/// The origin of a model and how it was interpreted.
public struct Provenance: Hashable, Sendable {
  /// A file from which the model was made.
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

    /// Creates a source.
    public init(fileName: String, role: String, byteCount: Int, sha256: [UInt8]) {
      self.fileName = fileName
      self.role = role
      self.byteCount = byteCount
      self.sha256 = sha256
    }
  }

  /// How something that the source leaves open was interpreted.
  public struct Decision: Hashable, Sendable {
    /// The name of the layer, input or output; empty when it is about the whole model.
    public var layer: String
    /// What was decided, and why.
    public var text: String

    /// Creates a decision.
    public init(layer: String, text: String) {
      self.layer = layer
      self.text = text
    }
  }

  /// The files, in the order in which they were given.
  public var sources: [Source] = []
  /// The framework that wrote them, for example `keras`.
  public var framework: String = ""
  /// Its version, when the files or the user give it.
  public var frameworkVersion: String?
  /// Its backend, for example `tensorflow`, when the files or the user give it.
  public var backend: String?
  /// The version of Weighbridge that converted them.
  public var converter: String = ""
  /// The options given that changed the result, by name.
  public var options: [String: String] = [:]
  /// The decisions, in layer order.
  public var decisions: [Decision] = []

  /// The decisions grouped by text, each with the names of its layers, of which some may be empty.
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

  /// An empty record.
  public init() {}
}
