import Bytes
import CoreMLFormat
import GraphIR

/// What user-defined keys of our own files say; see `CoreMLMetadata+Content.swift`.
extension CoreMLMetadata {
  private static let ownKeys: Set<String> = [
    "name", "classes", "labels", "detector", "non_maximum_suppression_threshold",
    "confidence_threshold", "source", "converter", "com.apple.coreml.model.preview.type",
  ]

  private static func isOwn(_ key: String) -> Bool {
    ownKeys.contains(key) || key.hasPrefix("image.")
  }

  /// Whether the file is ours.
  private var isOwn: Bool { userDefined["converter"]?.hasPrefix("weighbridge") == true }

  /// Brings back what was put under user-defined keys. Of a pipeline that gives boxes, whose heads
  /// are gone, the detector stays a text.
  ///
  /// The picture is described by the input itself.
  func describe(_ content: inout ModelContent, hasHeads: Bool) {
    guard isOwn else { return }
    var own = userDefined.filter { Self.isOwn($0.key) }
    content.description.userDefined = [:]
    for (key, value) in userDefined where !Self.isOwn(key) {
      content.description.userDefined[key.hasPrefix("user.") ? String(key.dropFirst(5)) : key] =
        value
    }
    content.description.name = own["name"] ?? content.description.name
    if let source = own["source"] {
      let words = source.split(separator: " ", maxSplits: 1).map(String.init)
      content.provenance.framework = words.first ?? ""
      content.provenance.frameworkVersion = words.count > 1 ? words[1] : nil
    }
    if !hasHeads {
      content.description.userDefined["detector"] = own["detector"]
      own["detector"] = nil
    }
    if let classes = own["classes"], content.description.labels.isEmpty {
      content.description.labels = classes.split(
        separator: ",", omittingEmptySubsequences: false
      ).map(String.init)
    }
    let entries = own.filter { ["labels", "detector"].contains($0.key) }
    let detector = content.description.userDefined["detector"]
    do throws(WeighbridgeError) {
      try PortableMetadata.apply(
        entries.sorted { $0.key < $1.key }.map { (key: $0.key, value: $0.value) }, to: &content)
    } catch {
      // Core ML's arrays have no batch axis, and a detector record asks for one: it stays a text.
      content.description.userDefined["detector"] = own["detector"] ?? detector
    }
  }
}
