package import GraphIR
import LayerCatalog

extension Graph {
  /// The inputs that only embeddings read, which are indices.
  package var indexInputs: [Port] {
    inputs.filter { port in
      let readers = nodes.filter { $0.inputs.contains(port.value) }
      return !readers.isEmpty && readers.allSatisfy { $0.operation is Embedding }
        && !outputs.contains { $0.value == port.value }
    }
  }
}
