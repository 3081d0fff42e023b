import DetectorRecord
package import ProtobufWire

/// The measured cost of compacting the weights.
package struct WBMCompaction: Hashable, Sendable {
  /// The error of an output compared with the original model.
  package struct OutputLoss: Hashable, Sendable {
    /// The name of a graph output.
    package var output: String
    /// The largest relative error over the inputs.
    package var worst: Double
    /// The mean relative error over the inputs.
    package var mean: Double
    /// The error that at most one in 20 other inputs is expected to exceed; 0 if unknown.
    package var bound: Double
  }

  /// The error of a weight compared with the original model.
  package struct WeightLoss: Hashable, Sendable {
    /// The array, by its index in ``WBMHeader/tensors``.
    package var tensor: Int
    /// Its relative error.
    package var error: Double
  }

  /// The number of answers that stayed the same.
  package struct Answers: Hashable, Sendable {
    /// What counts as an answer.
    package enum Kind: String, Hashable, Sendable, SchemaEnumeration {
      case topClass, detections
    }

    /// What was counted.
    package var kind: Kind
    /// The number that stayed the same.
    package var kept: Int
    /// The number of answers of the original model.
    package var total: Int
  }

  /// The program that measured the cost, with its version.
  package var by: String
  /// A description of the request.
  package var request: String
  /// A description of the inputs used for the measurement.
  package var inputs: String
  /// The number of those inputs.
  package var inputCount: Int
  /// The size of all original weights, in bytes.
  package var originalByteCount: Int
  /// The losses of the graph's outputs, in order.
  package var outputs: [OutputLoss]
  /// The losses of the weights that have any, in the order of the tensors.
  package var weights: [WeightLoss]
  /// The answers, if the model has outputs that can be counted.
  package var answers: Answers?
  /// Why the losses may not hold for other inputs; empty if nothing speaks against it.
  package var caution = ""
  /// Fields of a later version.
  package var unknownFields = UnknownFields()
}
