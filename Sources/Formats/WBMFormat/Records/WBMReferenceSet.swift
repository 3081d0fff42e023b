/// Inputs with the outputs they gave when somebody computed them.
package struct WBMReferenceSet: Hashable, Sendable {
  /// Who computed the outputs, for example `keras 2.2.4, tensorflow 1.14`.
  package var by: String
  /// An array for each graph input, in their order.
  package var inputs: [WBMNamedTensor]
  /// Arrays for graph outputs, all or some, in their order.
  package var outputs: [WBMNamedTensor]
  /// Outputs of layers by the source's layer names.
  package var layerOutputs: [WBMNamedTensor] = []
  /// How far computed outputs may be from the recorded ones.
  package var tolerance: WBMTolerance
}

/// How far an array may be from a recorded one.
package struct WBMTolerance: Hashable, Sendable {
  /// Who decided a tolerance.
  package enum Source: String, Hashable, Sendable, SchemaEnumeration {
    case standard, author, compaction
  }

  /// The absolute part.
  package var absolute: Double
  /// The part relative to the largest magnitude of the recorded array.
  package var relative: Double
  /// In place of both, a bound on the distance of whole arrays, relative to the recorded one.
  package var relativeL2: Double?
  /// Who decided.
  package var source: Source
}

/// A name with an array.
package struct WBMNamedTensor: Hashable, Sendable {
  /// The name of a graph input, a graph output or a source layer.
  package var name: String
  /// The array, by its position in ``WBMHeader/tensors``.
  package var tensor: Int

  /// Makes a named tensor.
  package init(name: String, tensor: Int) {
    self.name = name
    self.tensor = tensor
  }
}
