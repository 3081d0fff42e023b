import ConversionCore
package import GraphIR

/// The state that the layers of a Keras model share while they are converted to a graph.
package struct KerasNetwork: SourceNetwork {
  package var graph = GraphBuilder()
  package var decisions: [Provenance.Decision] = []
  /// The masks of values.
  package var masks: [ValueID: ValueID] = [:]
  /// What is known about values that are dimensions of others, such as the result of `tf.shape`.
  package var knownDimensions: [ValueID: KnownDimensions] = [:]

  /// The layers that were called in training mode, with statistics of the batch.
  var layersInTraining: Set<String> = []

  /// Creates a network that starts with a graph, by default an empty one.
  package init(graph: GraphBuilder = GraphBuilder(), masks: [ValueID: ValueID] = [:]) {
    self.graph = graph
    self.masks = masks
  }
}
