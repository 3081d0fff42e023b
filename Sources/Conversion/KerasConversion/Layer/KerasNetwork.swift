import ConversionCore
package import GraphIR

/// What the layers of a Keras model share while they become a graph.
package struct KerasNetwork: SourceNetwork {
  package var graph = GraphBuilder()
  package var decisions: [Provenance.Decision] = []
  /// The masks that travel beside values.
  package var masks: [ValueID: ValueID] = [:]
  /// What is known of values that are sizes of others, such as `tf.shape` makes.
  package var knownDimensions: [ValueID: KnownDimensions] = [:]

  /// A network that begins with a graph, by default with an empty one.
  package init(graph: GraphBuilder = GraphBuilder(), masks: [ValueID: ValueID] = [:]) {
    self.graph = graph
    self.masks = masks
  }
}
