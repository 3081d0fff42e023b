import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog

extension CoreMLMetadata {
  /// Makes the metadata of a model. Core ML has fields for the author, the license, the version and
  /// the summary; the rest is user-defined (``MetadataScheme/coreML``), with these further entries:
  ///
  /// - `classes`: the labels, separated by commas; if one contains a comma, only `labels` is
  ///   written
  /// - `non_maximum_suppression_threshold` and `confidence_threshold` of a detector that returns
  ///   its heads
  /// - `com.apple.coreml.model.preview.type`: of a detector that returns boxes, which Xcode's
  ///   preview can draw
  /// - `converter`: the program that wrote the file
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
