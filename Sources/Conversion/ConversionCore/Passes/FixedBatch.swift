package import Bytes
package import GraphIR

/// Sets the size of the batch, for tools that must know every size before they run a model.
package struct FixedBatch {
  /// The graph whose inputs take a batch of that size.
  package let graph: Graph

  /// Sets the first axis of each input, if it is open.
  ///
  /// - Throws: ``WeighbridgeError/Code/mismatch`` for a size that is none, if no input has a batch that is open,
  ///   and at a layer that cannot take that many.
  package init(_ graph: Graph, size: Int) throws(WeighbridgeError) {
    // The files of some formats store sizes in 32 bits.
    guard (1...Int(Int32.max)).contains(size) else {
      throw .mismatch("\(APIName.exportBatchSize) is \(size), expected 1 to \(Int32.max)")
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
