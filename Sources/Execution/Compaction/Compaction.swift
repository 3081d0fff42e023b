package import Bytes
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
    package internal(set) var tensor: Tensor
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
  /// The nodes that are computed with 8-bit integers or bfloat16, by their names.
  package var quantizations: [String: InputQuantization] = [:]
}

extension [Compaction.Weight] {
  /// About how many bytes the weights take more than before.
  var sizeDifference: Int {
    reduce(0) { sum, weight in
      sum + Int((weight.bitsPerElement * Double(weight.tensor.count) / 8).rounded(.up))
        - weight.tensor.byteCount
    }
  }
}

/// How a weight is stored.
package enum CompactForm: Sendable {
  /// Integers of any size times a step, to be entropy-coded.
  case integers(QuantizedMatrix)
  /// Integers with a sign of 2 to 8 bits times the scale of their block.
  case linear(LinearMatrix)
  /// Positions in one table.
  case lookup(LookupMatrix)
  /// Numbers of 16 bits: float16 or bfloat16.
  case half(ElementType)
}

/// A weight as integers of few bits.
package struct LinearMatrix: Sendable {
  /// The bits of an integer, 2 to 8.
  package let bits: Int
  /// The size along each axis of the tensor of a block that has a scale.
  package let blockShape: [Int]
  /// Row-major.
  package let integers: [Int8]
  /// One for each block, row-major.
  package let scales: [Float]
}

/// A weight as positions in a table.
package struct LookupMatrix: Sendable {
  /// The bits of a position, 1 to 8.
  package let bits: Int
  /// Row-major.
  package let positions: [UInt8]
  /// 2^bits numbers.
  package let table: [Float]
}
