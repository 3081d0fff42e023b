package import Bytes

/// Something that computes a graph: the reference runtime, an engine, or a round trip through a
/// file followed by one of these.
package protocol Runtime: Sendable {
  /// The name in reports and for `--engine`.
  var name: String { get }

  /// Computes the graph's outputs.
  ///
  /// - Parameters:
  ///   - graph: What to compute.
  ///   - inputs: One tensor for each of the graph's inputs, in their order.
  ///   - observe: Called after each node with what it made; only then may it be looked at.
  /// - Returns: One tensor for each of the graph's outputs, in their order.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when an input does not fit;
  ///   ``WeighbridgeError/Code/unsupported`` when a node cannot run;
  ///   ``WeighbridgeError/Code/cancelled``.
  func run(
    _ graph: Graph, inputs: [Tensor], observe: (NodeResult) throws(WeighbridgeError) -> Void
  ) throws(WeighbridgeError) -> [Tensor]
}

/// What a node made, as an observer sees it.
package struct NodeResult: Sendable {
  /// The node's position in ``Graph/nodes``.
  package let position: Int
  /// The node.
  package let node: Node
  /// Its outputs.
  package let outputs: [Tensor]
  /// How long it took, in nanoseconds.
  package let nanoseconds: UInt64

  /// Makes a result.
  package init(position: Int, node: Node, outputs: [Tensor], nanoseconds: UInt64) {
    self.position = position
    self.node = node
    self.outputs = outputs
    self.nanoseconds = nanoseconds
  }
}

extension Graph {
  /// Checks arrays against the graph's inputs.
  ///
  /// - Throws: ``WeighbridgeError/Code/mismatch`` naming the input, what it takes and what it got.
  package func check(inputs tensors: [Tensor]) throws(WeighbridgeError) {
    guard tensors.count == inputs.count else {
      throw WeighbridgeError(
        .mismatch, "the model takes \(inputs.count) inputs and was given \(tensors.count)")
    }
    for (port, tensor) in zip(inputs, tensors) {
      let expected = self[port.value].type
      guard expected.agrees(with: tensor.type) else {
        throw WeighbridgeError(
          .mismatch, "the input \(port.name) takes \(expected) and was given \(tensor.type)")
      }
    }
    try checkSymbols(tensors)
  }

  /// Axes of one name must be equally long in all inputs.
  private func checkSymbols(_ tensors: [Tensor]) throws(WeighbridgeError) {
    var extents: [String: (Int, String)] = [:]
    for (port, tensor) in zip(inputs, tensors) {
      for case (.symbolic(let name), let extent) in zip(self[port.value].type.shape, tensor.shape) {
        let (first, firstPort) = extents[name] ?? (extent, port.name)
        guard first == extent else {
          throw WeighbridgeError(
            .mismatch,
            "the axis \(name) has \(first) elements in \(firstPort) and \(extent) in \(port.name)")
        }
        extents[name] = (first, firstPort)
      }
    }
  }
}
