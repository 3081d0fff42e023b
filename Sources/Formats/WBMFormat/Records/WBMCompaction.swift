package import ProtobufWire

/// What making the weights smaller has cost, as it was measured.
package struct WBMCompaction: Hashable, Sendable {
  /// How far an output is from that of before.
  package struct OutputLoss: Hashable, Sendable {
    /// The name of a graph output.
    package var output: String
    /// The largest relative error over the inputs.
    package var worst: Double
    /// The mean relative error over the inputs.
    package var mean: Double
  }

  /// How far a weight is from that of before.
  package struct WeightLoss: Hashable, Sendable {
    /// The array, by its position in ``WBMHeader/tensors``.
    package var tensor: Int
    /// Its relative error.
    package var error: Double
  }

  /// How many answers stayed the same.
  package struct Answers: Hashable, Sendable {
    /// What counts as an answer.
    package enum Kind: String, Hashable, Sendable, SchemaEnumeration {
      case topClass, detections
    }

    /// What was counted.
    package var kind: Kind
    /// How many stayed.
    package var kept: Int
    /// How many there were before.
    package var total: Int
  }

  /// The program that measured, with its version.
  package var by: String
  /// What was asked for, in words.
  package var request: String
  /// The inputs on which it was measured, in words.
  package var inputs: String
  /// How many inputs these were.
  package var inputCount: Int
  /// The bytes of all weights before.
  package var originalByteCount: Int
  /// The losses of the graph's outputs, in their order.
  package var outputs: [OutputLoss]
  /// The losses of the weights that have one, in the order of the tensors.
  package var weights: [WeightLoss]
  /// The answers, where the model gives any that can be counted.
  package var answers: Answers?
  /// Fields of a later version.
  package var unknownFields = UnknownFields()
}
