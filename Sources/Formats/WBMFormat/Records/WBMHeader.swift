/// Everything a `.wbm` file says about a model, but the tensors' elements.
///
/// The records follow `Schemas/wbm.proto` message by message; `Schemas/wbm.md` has the rules.
package struct WBMHeader: Hashable, Sendable {
  /// What the model computes.
  package var graph: WBMGraph
  /// All arrays of the file, in the order in which constants and references first name them.
  package var tensors: [WBMTensor] = []
  /// What people and tools should know about the model.
  package var description = WBMDescription()
  /// Where the model came from.
  package var provenance: WBMProvenance
  /// Recorded inputs with the outputs they must give.
  package var references: [WBMReferenceSet] = []
  /// What making the weights smaller has cost; `nil` when nothing was lost.
  package var compaction: WBMCompaction?
  /// The compiled schema the file carries (a serialized `FileDescriptorSet`); by default our own.
  package var schema = WBMSchema.bytes
}
