package import GraphIR

/// How the weights of a model are stored in less space, and what that costs.
package struct Compaction: Sendable {
  /// What becomes of one weight.
  package struct Weight: Sendable {
    /// The weight's number in the graph.
    package let id: ValueID
    /// Its name.
    package let name: String
    /// How it is stored.
    package let form: CompactForm
    /// The numbers that it decodes to.
    package let tensor: Tensor
    /// About how many bits an element takes.
    package let bitsPerElement: Double
    /// The relative error that it alone makes in each output, as estimated from the measured
    /// sensitivity; empty when nothing was measured.
    package let addedErrors: [Double]
  }

  /// The weights that change, in the graph's order; others are stored exactly.
  package let weights: [Weight]
  /// The measured errors on the evaluation examples; `nil` when nothing was measured.
  package let errors: OutputErrors?
  /// What became of the answers, when they were compared.
  package let answers: AnswerCount?
  /// The bytes of all weights before.
  package let originalSize: Int
  /// About how many bytes all weights take now, before those that stay exact are coded losslessly.
  package let estimatedSize: Int
}

/// How a weight is stored.
package enum CompactForm: Sendable {
  /// Integers of any size times a step, to be entropy-coded.
  case integers(QuantizedMatrix)
}
