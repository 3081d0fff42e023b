package import Bytes
package import GraphIR

/// Sets the size of the batch, for tools that must know every size before they run a model.
package struct FixedBatch {
  /// The graph whose inputs take a batch of that size.
  package let graph: Graph

  /// Sets the first axis of each input, if it is open.
  ///
  /// - Throws: ``WeighbridgeError/Code/mismatch`` for a size below 1, if no input has a batch that is open,
  ///   and at a layer that cannot take that many.
  package init(_ graph: Graph, size: Int) throws(WeighbridgeError) {
    guard size >= 1 else {
      throw .mismatch("\(APIName.exportBatchSize) is \(size), expected at least 1")
    }
    let types = graph.inputs.map { graph[$0.value].type }
    let isOpen = types.map { $0.shape.first.map { $0.value == nil } ?? false }
    guard isOpen.contains(true) else {
      let sizes = zip(graph.inputs, types).map { "\($0.name) is \($1)" }.joined(separator: ", ")
      throw .mismatch(
        "\(APIName.exportBatchSize) sets the size of a batch that is open, and \(sizes)")
    }
    self.graph = try graph.specializing(
      to: zip(types, isOpen).map { type, isOpen in
        isOpen ? type.with(shape: [.fixed(size)] + type.shape.dropFirst()) : type
      })
  }
}
