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
  /// Outputs of single layers, by the names that `--layers` uses; may be empty.
  public var layers: [Entry]

  /// Makes a set.
  public init(author: String, inputs: [Entry], outputs: [Entry], layers: [Entry]) {
    self.author = author
    self.inputs = inputs
    self.outputs = outputs
    self.layers = layers
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

  /// Makes a model.
  package init(
    graph: Graph, description: ModelDescription, provenance: Provenance,
    references: [ReferenceSet] = []
  ) {
    self.graph = graph
    self.description = description
    self.provenance = provenance
    self.references = references
  }
}
