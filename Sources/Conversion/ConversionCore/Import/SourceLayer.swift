package import Bytes
package import GraphIR
package import LayerCatalog

/// What the layers of a source share while they become a graph, one after the other.
package protocol SourceNetwork {
  /// The graph so far.
  var graph: GraphBuilder { get set }
  /// How things were understood that the file leaves open, layer by layer.
  var decisions: [Provenance.Decision] { get set }
}

extension SourceNetwork {
  /// Records how something was understood that the file leaves open; the layer is empty for what is
  /// about the whole model.
  package mutating func decide(_ layer: String, _ text: String) {
    decisions.append(Provenance.Decision(layer: layer, text: text))
  }
}

/// A layer of a source while it becomes nodes of the graph. Its settings are crossed off as they are
/// read.
package protocol SourceLayer {
  /// What it shares with the other layers.
  associatedtype Network: SourceNetwork
  /// Where its nodes come from.
  var source: SourceScope { get }
  /// The network, to which it adds its nodes.
  var network: Network { get set }
}

extension SourceLayer {
  package func unsupported(_ reason: String) -> WeighbridgeError {
    WeighbridgeError(.unsupported, reason)
  }

  package func malformed(_ reason: String) -> WeighbridgeError {
    WeighbridgeError(.malformed, reason)
  }

  /// Records how something was understood that the file leaves open.
  package mutating func decide(_ text: String) {
    network.decide(source.layer, text)
  }

  /// Adds a node of this layer.
  ///
  /// - Parameter role: What the node is when the layer becomes several; empty otherwise.
  package mutating func addNode(
    _ operation: some CatalogOperator, _ inputs: [ValueID], role: String = ""
  ) throws(WeighbridgeError) -> [ValueID] {
    try network.graph.addNode(operation, inputs: inputs, source: source.role(role))
  }

  /// Adds a weight of this layer.
  package mutating func addWeight(
    _ role: String, _ tensor: Tensor
  ) throws(WeighbridgeError) -> ValueID {
    try network.graph.addWeight(source.role(role).nodeName, tensor)
  }
}

/// A layer whose builder stands in a table by its kind, and whose inputs are what earlier layers left
/// in the network.
package protocol MappedLayer: SourceLayer {
  /// What its builder gives.
  associatedtype Output

  /// Ends the reading: later layers can then take what it made.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` for a setting that nobody read.
  mutating func finish(_ output: Output) throws(WeighbridgeError)
}

extension MappedLayer {
  /// Adds a layer's nodes and returns what they make. It reads every setting.
  package typealias Build = @Sendable (inout Self) throws(WeighbridgeError) -> Output

  /// The network with this layer.
  package consuming func built(by build: Build) throws(WeighbridgeError) -> Network {
    try finish(try build(&self))
    return network
  }
}

extension Dictionary where Key == String {
  /// What each kind of layer becomes, of the tables of families that have no kind in common.
  package init(families: [[String: Value]]) {
    self = families.reduce(into: [:]) { all, family in all.merge(family) { first, _ in first } }
  }
}
