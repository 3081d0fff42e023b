/// The contents of a `.wbm` file except for the tensors' elements.
///
/// The records follow `Schemas/wbm.proto` message by message; `Schemas/wbm.md` contains the rules.
package struct WBMHeader: Hashable, Sendable {
  /// The model's computation.
  package var graph: WBMGraph
  /// All arrays of the file, in the order in which constants and references first refer to them.
  package var tensors: [WBMTensor] = []
  /// The description of the model for people and tools.
  package var description = WBMDescription()
  /// The model's origin.
  package var provenance: WBMProvenance
  /// Recorded inputs with the expected outputs.
  package var references: [WBMReferenceSet] = []
  /// The cost of compacting the weights; `nil` if nothing was lost.
  package var compaction: WBMCompaction?
  /// The nodes that are computed with 8-bit integers or bfloat16; `nil` when there are none.
  package var quantization: WBMQuantization?
  /// The compiled schema that the file contains (a serialized `FileDescriptorSet`); by default this
  /// version's own.
  package var schema = WBMSchema.bytes
}
