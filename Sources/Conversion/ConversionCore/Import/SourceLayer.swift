package import Bytes
package import GraphIR
package import LayerCatalog

/// The state that the layers of a source share while they are converted to a graph one by one.
package protocol SourceNetwork {
  /// The graph so far.
  var graph: GraphBuilder { get set }
  /// How ambiguities of the file were resolved, layer by layer.
  var decisions: [Provenance.Decision] { get set }
}

extension SourceNetwork {
  /// Records how an ambiguity of the file was resolved. The layer is empty for the whole model.
  package mutating func decide(_ layer: String, _ text: String) {
    decisions.append(Provenance.Decision(layer: layer, text: text))
  }
}

/// A layer of a source that is being converted to nodes. It keeps track of the settings that were
/// read.
package protocol SourceLayer {
  /// The type of the state that it shares with the other layers.
  associatedtype Network: SourceNetwork
  /// The source that its nodes record.
  var source: SourceScope { get }
  /// The network, to which it adds its nodes.
  var network: Network { get set }
  /// What the framework gives where results do not fit in an integer type; by default they wrap.
  var integerRules: IntegerRules { get }
}

extension SourceLayer {
  package var integerRules: IntegerRules { .wrapping }

  package func unsupported(_ reason: String) -> WeighbridgeError {
    WeighbridgeError(.unsupported, reason)
  }

  package func malformed(_ reason: String) -> WeighbridgeError {
    WeighbridgeError(.malformed, reason)
  }

  /// Records how an ambiguity of the file was resolved.
  package mutating func decide(_ text: String) {
    network.decide(source.layer, text)
  }

  /// Adds a node of this layer.
  ///
  /// - Parameter role: The node's role when the layer becomes several nodes; empty otherwise.
  package mutating func addNode(
    _ operation: some CatalogOperator, _ inputs: [ValueID], role: String = ""
  ) throws(WeighbridgeError) -> [ValueID] {
    let types = inputs.map { network.graph.type(of: $0) }
    return try network.graph.addNode(
      operation.stating(integerRules, for: types), inputs: inputs, source: source.withRole(role))
  }

  /// Adds a weight of this layer.
  package mutating func addWeight(
    _ role: String, _ tensor: Tensor
  ) throws(WeighbridgeError) -> ValueID {
    try network.graph.addWeight(source.withRole(role).nodeName, tensor)
  }
}

/// A layer that is built by the entry for its kind in a table, and whose inputs are outputs of
/// earlier layers.
package protocol MappedLayer: SourceLayer {
  /// The result of its builder.
  associatedtype Output

  /// Finishes the layer, so that later layers can use its outputs.
  ///
  /// - Throws: ``WeighbridgeError/Code/unsupported`` for a setting that was not read.
  mutating func finish(_ output: Output) throws(WeighbridgeError)
}

extension MappedLayer {
  /// Reads every setting of a layer, adds its nodes and returns their outputs.
  package typealias Build = @Sendable (inout Self) throws(WeighbridgeError) -> Output

  /// Builds the layer and returns the network.
  package consuming func built(by build: Build) throws(WeighbridgeError) -> Network {
    try finish(try build(&self))
    return network
  }
}

extension Dictionary where Key == String {
  /// Merges the tables of several families, which have no keys in common.
  package init(families: [[String: Value]]) {
    self = families.reduce(into: [:]) { result, family in
      result.merge(family) { first, _ in first }
    }
  }
}
