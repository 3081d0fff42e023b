/// Inputs together with the outputs that somebody else computed for them.
public struct ReferenceSet: Sendable {
  /// A tensor and what it belongs to.
  public struct Entry: Sendable {
    /// The name of the input, the output or the layer.
    public var name: String
    /// The elements.
    public var tensor: Tensor

    /// Makes an entry.
    public init(name: String, tensor: Tensor) {
      self.name = name
      self.tensor = tensor
    }
  }

  /// Who computed the outputs, for example `keras 2.1.5`.
  public var author: String
  /// One entry for each input.
  public var inputs: [Entry]
  /// One entry for each output.
  public var outputs: [Entry]
  /// Outputs of single layers, by the layers' names; may be empty.
  public var layers: [Entry]
  /// How far computed outputs may be from the recorded ones.
  public var tolerance: Tolerance
  /// Who decided the tolerance.
  public var toleranceSource: ToleranceSource

  /// Who decided a tolerance.
  public enum ToleranceSource: String, Hashable, Sendable, CaseIterable {
    /// Weighbridge, by the coarsest floating-point type on the way to the outputs.
    case standard
    /// Whoever gave the recorded arrays.
    case author
    /// The measured loss of a compaction.
    case compaction
  }

  /// Makes a set.
  public init(
    author: String, inputs: [Entry], outputs: [Entry], layers: [Entry], tolerance: Tolerance,
    toleranceSource: ToleranceSource
  ) {
    self.author = author
    self.inputs = inputs
    self.outputs = outputs
    self.layers = layers
    self.tolerance = tolerance
    self.toleranceSource = toleranceSource
  }
}

/// A model as every importer makes it and every exporter takes it.
package struct ModelContent: Sendable {
  /// What is computed.
  package var graph: Graph
  /// What it is for.
  package var description: ModelDescription
  /// Where it came from.
  package var provenance: Provenance
  /// What it was proven with.
  package var references: [ReferenceSet]
  /// What making its weights smaller has cost; `nil` when nothing was lost.
  package var compaction: CompactionRecord?

  /// Makes a model.
  package init(
    graph: Graph, description: ModelDescription, provenance: Provenance,
    references: [ReferenceSet] = [], compaction: CompactionRecord? = nil
  ) {
    self.compaction = compaction
    self.graph = graph
    self.description = description
    self.provenance = provenance
    self.references = references
  }
}
