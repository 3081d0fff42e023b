import ConversionCore
import CoreMLFormat
import GraphIR
import LayerCatalog

/// The class that a Core ML classifier returns alongside the probabilities of all classes. It is
/// not computed here: the labels are those of the description.
public struct ClassLabel: Hashable, Sendable {
  /// The name of the output.
  public let name: String
  /// The type of the labels: `string` or `int64`.
  public let type: String
  /// The output with the probabilities, when the file names it.
  public let probabilities: String?

  /// Creates a class label.
  public init(name: String, type: String, probabilities: String?) {
    self.name = name
    self.type = type
    self.probabilities = probabilities
  }

  /// The class label of a model; `nil` when it has none.
  init?(_ description: CoreMLDescription) {
    guard let label = description.classLabel else { return nil }
    self.init(
      name: label.name, type: label.type.rawValue,
      probabilities: description.predictedProbabilities)
  }
}
