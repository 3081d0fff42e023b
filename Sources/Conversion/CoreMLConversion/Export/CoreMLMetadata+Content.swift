import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog

extension CoreMLMetadata {
  /// Creates the metadata of a model. Core ML has fields for the author, the license, the version
  /// and the summary; the rest is user-defined (``MetadataScheme/coreML``), with these further
  /// entries:
  ///
  /// - `classes`: the labels, separated by commas; if one contains a comma, only `labels` is
  ///   written
  /// - `non_maximum_suppression_threshold` and `confidence_threshold` of a detector that returns
  ///   its heads
  /// - `com.apple.coreml.model.preview.type`: of a detector that returns boxes, which Xcode's
  ///   preview can draw
  /// - `converter`: the program that wrote the file
  ///
  /// - Parameter names: The names of inputs and outputs that are others in the file, by the latter.
  init(
    _ description: ModelDescription, _ provenance: Provenance, returnsBoxes: Bool,
    names: [String: String] = [:]
  ) {
    let labels = description.labels
    let canJoinLabels = !labels.isEmpty && !labels.contains { $0.contains(",") }
    let detector = returnsBoxes ? nil : description.detector
    let entries = DescriptionEntries.entries(
      description, provenance, .coreML, omitting: canJoinLabels ? [.labels] : [],
      names: names,
      additional: [
        ("classes", canJoinLabels ? labels.joined(separator: ",") : nil),
        ("non_maximum_suppression_threshold", detector?.iouThreshold.map { "\($0)" }),
        ("confidence_threshold", detector?.confidenceThreshold.map { "\($0)" }),
        ("com.apple.coreml.model.preview.type", returnsBoxes ? "objectDetector" : nil),
        ("converter", provenance.converter.isEmpty ? nil : provenance.converter),
      ])
    self.init(
      summary: description.summary, version: description.version, author: description.author,
      license: description.license?.text,
      userDefined: Dictionary(entries, uniquingKeysWith: { first, _ in first }))
  }
}
