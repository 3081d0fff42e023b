/// Inputs with the outputs they gave when somebody computed them.
package struct WBMReferenceSet: Hashable, Sendable {
  /// Who computed the outputs, for example `keras 2.2.4, tensorflow 1.14`.
  package var by: String
  /// An array for each graph input.
  package var inputs: [WBMNamedTensor]
  /// The graph outputs, all or some.
  package var outputs: [WBMNamedTensor]
  /// Outputs of layers by the source's layer names.
  package var layerOutputs: [WBMNamedTensor]

  /// Makes a reference set.
  package init(
    by: String, inputs: [WBMNamedTensor], outputs: [WBMNamedTensor],
    layerOutputs: [WBMNamedTensor] = []
  ) {
    self.by = by
    self.inputs = inputs
    self.outputs = outputs
    self.layerOutputs = layerOutputs
  }
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
