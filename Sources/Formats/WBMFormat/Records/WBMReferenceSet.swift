import DetectorRecord

/// Inputs with reference outputs computed elsewhere.
package struct WBMReferenceSet: Hashable, Sendable {
  /// What computed the outputs, for example `keras 2.2.4, tensorflow 1.14`.
  package var by: String
  /// An array for each graph input, in order.
  package var inputs: [WBMNamedTensor]
  /// Arrays for all or some of the graph outputs, in order.
  package var outputs: [WBMNamedTensor]
  /// Outputs of layers, by the names in the source.
  package var layerOutputs: [WBMNamedTensor] = []
  /// The allowed difference between computed and recorded outputs.
  package var tolerance: WBMTolerance
}

/// The allowed difference between an array and a recorded one.
package struct WBMTolerance: Hashable, Sendable {
  /// Who set a tolerance.
  package enum Source: String, Hashable, Sendable, SchemaEnumeration {
    case standard, author, compaction
  }

  /// The absolute part.
  package var absolute: Double
  /// The part relative to the largest magnitude of the recorded array.
  package var relative: Double
  /// If set, replaces both with a bound on the L2 distance of the arrays relative to the L2 norm of
  /// the recorded one.
  package var relativeL2: Double?
  /// Who set the tolerance.
  package var source: Source
}

/// A name with an array.
package struct WBMNamedTensor: Hashable, Sendable {
  /// The name of a graph input, a graph output or a source layer.
  package var name: String
  /// The array, by its index in ``WBMHeader/tensors``.
  package var tensor: Int

  /// Creates a named tensor.
  package init(name: String, tensor: Int) {
    self.name = name
    self.tensor = tensor
  }
}
