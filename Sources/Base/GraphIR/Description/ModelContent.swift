/// A model as every importer returns it and every exporter takes it.
package struct ModelContent: Sendable {
  /// The computation.
  package var graph: Graph
  /// The description for people and programs.
  package var description: ModelDescription
  /// The origin.
  package var provenance: Provenance
  /// The references with which it was verified.
  package var references: [ReferenceSet]
  /// The cost of making its weights smaller; `nil` when nothing was lost.
  package var compaction: CompactionRecord?

  /// Creates a model.
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
