import Bytes
import GraphIR
import LayerCatalog

extension Graph {
  /// The same graph, where what nodes make of weights alone is computed already.
  ///
  /// Left as they are: nodes whose kernels fail, which say so when they run, and those that make much
  /// more than they keep of a model's weights in memory.
  func foldingConstants(_ workers: Workers) -> Graph {
    var constants: [ValueID: Tensor] = [:]
    for node in nodes {
      let inputs = node.inputs.compactMap { constants[$0] ?? self[$0].constant }
      guard inputs.count == node.inputs.count,
        let operation = node.operation as? any CatalogOperator,
        let types = try? operation.checkedOutputTypes(of: inputs.map(\.type)),
        types.allSatisfy({ ($0.elementCount ?? .max) <= Self.largestConstant }),
        let outputs = try? operation.evaluate(
          inputs, quantization: node.quantization, workers: workers)
      else { continue }
      for (id, output) in zip(node.outputs, outputs) { constants[id] = output }
    }
    return constants.isEmpty ? self : settingConstants(constants)
  }

  /// The most elements of what is computed beforehand.
  private static let largestConstant = 1 << 22
}

extension TensorType {
  /// How many elements such a tensor has, when that is known and can be counted.
  fileprivate var elementCount: Int? {
    fixedShape.flatMap { try? Checked.product($0, of: "the elements") }
  }
}
