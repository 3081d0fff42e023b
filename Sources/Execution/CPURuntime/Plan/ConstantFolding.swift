import Bytes
import GraphIR
import LayerCatalog

extension Graph {
  /// The same graph with nodes of constant inputs evaluated.
  ///
  /// Nodes whose kernels fail are kept and report their error when they run. Nodes with large
  /// outputs are kept to save memory, and those that run subgraphs since they may take any time.
  func foldingConstants(_ workers: Workers) -> Graph {
    var constants: [ValueID: Tensor] = [:]
    for node in nodes {
      let inputs = node.inputs.compactMap { constants[$0] ?? self[$0].constant }
      guard inputs.count == node.inputs.count,
        let operation = node.operation as? any CatalogOperator, operation.subgraphs.isEmpty,
        let types = try? operation.checkedOutputTypes(of: inputs.map(\.type)),
        types.allSatisfy({ ($0.elementCount ?? .max) <= Self.largestConstant }),
        let outputs = try? operation.evaluate(
          inputs, quantization: node.quantization, workers: workers)
      else { continue }
      for (id, output) in zip(node.outputs, outputs) { constants[id] = output }
    }
    return constants.isEmpty ? self : settingConstants(constants)
  }

  /// The maximum number of elements of a folded constant.
  private static let largestConstant = 1 << 22
}

extension TensorType {
  /// The number of elements, if it is known and does not overflow.
  fileprivate var elementCount: Int? {
    fixedShape.flatMap { try? Checked.product($0, of: "the elements") }
  }
}
