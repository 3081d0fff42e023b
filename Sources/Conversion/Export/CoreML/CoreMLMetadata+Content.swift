import CoreMLFormat
import GraphIR
import JSON

extension CoreMLMetadata {
  /// What is known of a model. Core ML has places of its own for the author, the license, the
  /// version and the summary; the rest is user-defined:
  ///
  /// - `classes`: the labels, with commas between them; where one has a comma, `labels`: a JSON list
  /// - `detector`: anchors, masks and thresholds, and `image.NAME`: how a picture becomes the input
  ///   NAME; both as `Schemas/metadata.schema.json` has them
  /// - `non_maximum_suppression_threshold` and `confidence_threshold` of a detector that gives its
  ///   heads
  /// - `name` and `source`: the model's name, and what it was made with
  /// - all others: the author's own, by their keys; one that is taken begins with `user.`
  init(_ content: ModelContent, _ source: CoreMLExportSource) {
    let description = content.description
    self.init(
      summary: description.summary, version: description.version, author: description.author,
      license: description.license?.text)
    add("name", description.name)
    let labels = description.labels
    if labels.contains(where: { $0.contains(",") }) {
      add("labels", JSONValue.array(labels.map(JSONValue.string)).text())
    } else if !labels.isEmpty {
      add("classes", labels.joined(separator: ","))
    }
    if var detector = description.detector {
      if detector.order == .channelsLast { detector.order = .channelsFirst }
      add("detector", detector.json.text())
      if source.detector == nil {
        let overlap = detector.overlapThreshold
        add("non_maximum_suppression_threshold", overlap.map { "\($0)" })
        add("confidence_threshold", detector.confidenceThreshold.map { "\($0)" })
      }
    }
    for (port, feature) in zip(source.graph.inputs, description.inputs) {
      guard var image = feature.image else { continue }
      image.layout = .channelsFirst
      add("image.\(port.name)", image.json.text())
    }
    let provenance = content.provenance
    let version = provenance.frameworkVersion.map { " \($0)" } ?? ""
    add("source", provenance.framework.isEmpty ? nil : provenance.framework + version)
    add("converter", provenance.converter.isEmpty ? nil : provenance.converter)
    let taken = Set(userDefined.keys)
    for (key, value) in description.userDefined {
      add(taken.contains(key) ? "user.\(key)" : key, value)
    }
  }

  /// Says to Xcode that its preview can draw boxes.
  mutating func addPreview() {
    add("com.apple.coreml.model.preview.type", "objectDetector")
  }

  private mutating func add(_ key: String, _ value: String?) {
    if let value { userDefined[key] = value }
  }
}
