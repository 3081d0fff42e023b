package import Bytes

/// Something that computes a graph: the reference runtime, an engine, or either of them after a
/// round trip through a file.
package protocol Runtime: Sendable {
  /// The engine's name in reports and options.
  var name: String { get }

  /// Computes the graph's outputs.
  ///
  /// - Parameters:
  ///   - graph: The graph to compute.
  ///   - inputs: One tensor for each of the graph's inputs, in their order.
  ///   - observe: Called after each node with its result, which is only valid during the call. An
  ///     engine that computes several nodes together calls it for the last of them.
  /// - Returns: One tensor for each of the graph's outputs, in their order.
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when an input does not fit;
  ///   ``WeighbridgeError/Code/unsupported`` when a node cannot run;
  ///   ``WeighbridgeError/Code/cancelled``.
  func run(
    _ graph: Graph, inputs: [Tensor], observe: (NodeResult) throws(WeighbridgeError) -> Void
  ) throws(WeighbridgeError) -> [Tensor]
}

/// A node as an engine computes it: alone, or with earlier nodes that are fused into it.
///
/// An object, because each run of a plan passes the same ones to its observer.
package final class ComputedNode: Sendable {
  /// The node's position in ``Graph/nodes``.
  package let position: Int
  /// The node.
  package let node: Node
  /// The positions of the earlier nodes, and their names.
  package let fused: [Int], fusedNames: [String]
  /// What computes it.
  package let kernel: KernelKind

  /// - Parameter fused: The positions of the earlier nodes.
  package init(
    _ position: Int, fused: some Collection<Int> = [], of graph: Graph, kernel: KernelKind
  ) {
    self.position = position
    self.node = graph.nodes[position]
    self.fused = Array(fused)
    self.fusedNames = fused.map { graph.nodes[$0].name }
    self.kernel = kernel
  }
}

/// The result of a node, as passed to an observer.
package struct NodeResult {
  /// The node, and what was fused into it.
  package let computed: ComputedNode
  /// The time it took, in nanoseconds.
  package let nanoseconds: UInt64
  private let read: () -> [Tensor]

  /// Creates a result.
  ///
  /// - Parameter read: Returns the node's outputs; called only if the observer reads them.
  package init(
    _ computed: ComputedNode, nanoseconds: UInt64, read: @escaping () -> [Tensor]
  ) {
    self.computed = computed
    self.nanoseconds = nanoseconds
    self.read = read
  }

  /// The node's position in ``Graph/nodes``.
  package var position: Int { computed.position }

  /// The node.
  package var node: Node { computed.node }

  /// The positions of earlier nodes that were fused with it.
  package var fused: [Int] { computed.fused }

  /// What computed it.
  package var kernel: KernelKind { computed.kernel }

  /// The node's outputs.
  package var outputs: [Tensor] { read() }
}

extension ContinuousClock.Instant {
  /// The time since then, in nanoseconds.
  package var nanosecondsSince: UInt64 {
    let time = (ContinuousClock.now - self).components
    return UInt64(time.seconds) * 1_000_000_000 + UInt64(time.attoseconds / 1_000_000_000)
  }
}

/// The kind of kernel that computed a node.
public enum KernelKind: Hashable, Sendable, CustomStringConvertible {
  /// The reference kernel.
  case reference
  /// A kernel of Weighbridge's engine, with its name.
  case own(String)

  /// For example `own blocked convolution`.
  public var description: String {
    switch self {
    case .reference: "reference"
    case .own(let name): "own \(name)"
    }
  }
}

extension Graph {
  /// Checks arrays against the graph's inputs.
  ///
  /// - Throws: ``WeighbridgeError/Code/mismatch`` with the input, what it takes and what it was
  ///   given.
  package func check(inputs tensors: [Tensor]) throws(WeighbridgeError) {
    try check(inputs: tensors.map(\.type))
  }

  /// Checks the types of arrays, with known sizes, against the graph's inputs.
  ///
  /// - Throws: As ``check(inputs:)-([Tensor])``.
  package func check(inputs types: [TensorType]) throws(WeighbridgeError) {
    guard types.count == inputs.count else {
      throw .mismatch(
        "the model takes \(inputs.count.counted("input")) and was given \(types.count)")
    }
    for (port, type) in zip(inputs, types) {
      let expected = self[port.value].type
      guard expected.agrees(with: type), type.fixedShape != nil else {
        throw .mismatch("the input \(port.name) takes \(expected) and was given \(type)")
      }
    }
    try checkSymbols(types)
  }

  /// Checks that axes with the same name have the same size in all inputs.
  private func checkSymbols(_ types: [TensorType]) throws(WeighbridgeError) {
    var dimensions: [String: (Int, String)] = [:]
    for (port, type) in zip(inputs, types) {
      let axes = zip(self[port.value].type.shape, type.fixedShape ?? [])
      for case (.symbolic(let name), let dimension) in axes {
        let (size, firstPort) = dimensions[name] ?? (dimension, port.name)
        guard size == dimension else {
          throw .mismatch(
            "the axis \(name) has \(size) elements in \(firstPort), but \(dimension) in "
              + "\(port.name)"
          )
        }
        dimensions[name] = (size, firstPort)
      }
    }
  }
}
