import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog

extension CoreMLMetadata {
  /// What is known of a model. Core ML has places of its own for the author, the license, the
  /// version and the summary; the rest is user-defined (``MetadataScheme/coreML``), and besides:
  ///
  /// - `classes`: the labels, with commas between them; where one has a comma there is `labels` alone
  /// - `non_maximum_suppression_threshold` and `confidence_threshold` of a detector that gives its
  ///   heads
  /// - `com.apple.coreml.model.preview.type`: of a detector that gives boxes, which Xcode's preview
  ///   can draw
  /// - `converter`: what wrote the file
  init(_ description: ModelDescription, _ provenance: Provenance, givesBoxes: Bool) {
    let labels = description.labels
    let isPlain = !labels.isEmpty && !labels.contains { $0.contains(",") }
    let heads = givesBoxes ? nil : description.detector
    let entries = DescriptionEntries.entries(
      description, provenance, .coreML, omitting: isPlain ? [.labels] : [],
      further: [
        ("classes", isPlain ? labels.joined(separator: ",") : nil),
        ("non_maximum_suppression_threshold", heads?.overlapThreshold.map { "\($0)" }),
        ("confidence_threshold", heads?.confidenceThreshold.map { "\($0)" }),
        ("com.apple.coreml.model.preview.type", givesBoxes ? "objectDetector" : nil),
        ("converter", provenance.converter.isEmpty ? nil : provenance.converter),
      ])
    self.init(
      summary: description.summary, version: description.version, author: description.author,
      license: description.license?.text,
      userDefined: Dictionary(entries, uniquingKeysWith: { first, _ in first }))
  }
}
