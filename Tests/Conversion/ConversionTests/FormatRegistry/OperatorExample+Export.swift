import Bytes
import GraphIR
import LayerCatalog
import Testing
import _CatalogTesting

extension OperatorExample {
  /// A model of this operator alone.
  ///
  /// - Parameters:
  ///   - openCount: How many axes of each input are open, but for the last one.
  ///   - batch: The first size of the inputs; the example's own by default.
  func content(
    openCount: Int = 0, batch: GraphIR.Dimension? = nil
  ) throws(WeighbridgeError) -> ModelContent {
    let graph = try graph { (builder, name, tensor) throws(WeighbridgeError) in
      let type = tensor.type.with(
        shape: tensor.shape.enumerated().map { axis, size in
          axis < min(openCount, tensor.shape.count - 1) ? .unknown : .fixed(size)
        })
      return try builder.addInput(name, batch.map { type.with(batch: $0) } ?? type)
    }
    return ModelContent(
      graph: graph, description: ModelDescription(), provenance: Provenance())
  }
}

extension TensorType {
  /// The type with another first size.
  fileprivate func with(batch: GraphIR.Dimension?) -> TensorType {
    guard let batch, rank > 0 else { return self }
    return with(shape: [batch] + shape.dropFirst())
  }
}

/// Checks the kinds of a target's rows: each is listed once and belongs to an operator, and an
/// operator without a row has a decomposition.
func expectCompleteTable(_ kinds: [String]) {
  #expect(Set(kinds).count == kinds.count, "two rows for one kind")
  let known = Set(Catalog.all.map { $0.kind })
  #expect(Set(kinds).subtracting(known).isEmpty)
  let shown = Dictionary(
    OperatorExample.all.map { ($0.operation.kind, $0) }, uniquingKeysWith: { first, _ in first })
  for kind in known.subtracting(kinds) {
    guard case .nodes = shown[kind]?.operation.decomposition else {
      Issue.record("\(kind) has no row and no decomposition")
      continue
    }
  }
}
