package import Bytes
package import GraphIR

/// A smaller encoding of a model's weights, and the errors that it causes.
package struct Compaction: Sendable {
  /// The encoding of one weight.
  package struct Weight: Sendable {
    /// The weight's ID in the graph.
    package let id: ValueID
    /// Its name.
    package let name: String
    /// How it is stored.
    package let form: CompactForm
    /// The decoded tensor.
    package internal(set) var tensor: Tensor
    /// The approximate number of bits per element.
    package let bitsPerElement: Double
    /// The relative error that it alone causes in each output, estimated from the measured
    /// sensitivity; empty if nothing was measured.
    package let addedErrors: [Double]
  }

  /// The weights that change, in the graph's order; others are stored exactly.
  package let weights: [Weight]
  /// The measured errors on the evaluation examples; `nil` when nothing was measured.
  package let errors: OutputErrors?
  /// How many answers were kept, if they were compared.
  package let answers: AnswerCount?
  /// The original size of all weights in bytes.
  package let originalSize: Int
  /// The approximate size of all weights in bytes, before unchanged ones are compressed losslessly.
  package let estimatedSize: Int
  /// The nodes that are computed with 8-bit integers or bfloat16, by their names.
  package let quantizations: [String: InputQuantization]

  /// Creates the compaction that stores some of a graph's weights differently.
  init(
    _ weights: [Weight], of graph: Graph, errors: OutputErrors?, answers: AnswerCount?,
    quantizations: [String: InputQuantization] = [:]
  ) {
    self.weights = weights
    self.errors = errors
    self.answers = answers
    self.quantizations = quantizations
    originalSize = graph.weights.reduce(0) { $0 + $1.tensor.byteCount }
    estimatedSize = weights.reduce(originalSize) { $0 + $1.byteCount - $1.tensor.byteCount }
  }
}

extension Compaction.Weight {
  /// The approximate encoded size in bytes.
  fileprivate var byteCount: Int {
    Int((bitsPerElement * Double(tensor.count) / 8).rounded(.up))
  }
}

/// How a weight is stored.
package enum CompactForm: Sendable {
  /// Integers of any size times a step, entropy-coded.
  case integers(QuantizedMatrix)
  /// Signed integers of 2 to 8 bits times the scale of their block.
  case linear(LinearMatrix)
  /// Indices into a lookup table.
  case lookup(LookupMatrix)
  /// Numbers of 16 bits: float16 or bfloat16.
  case half(ElementType)
}

/// A weight as low-bit integers.
package struct LinearMatrix: Sendable {
  /// The number of bits of an integer, 2 to 8.
  package let bits: Int
  /// The shape of a block that shares a scale.
  package let blockShape: [Int]
  /// Row-major.
  package let integers: [Int8]
  /// One for each block, row-major.
  package let scales: [Float]
}

/// A weight as indices into a lookup table.
package struct LookupMatrix: Sendable {
  /// The number of bits of an index, 1 to 8.
  package let bits: Int
  /// Row-major.
  package let positions: [UInt8]
  /// The 2^bits values.
  package let table: [Float]
}
