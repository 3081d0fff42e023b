import Bytes
import GraphIR
import LayerCatalog
import ONNXFormat

/// Products with matrices of weights.
enum ONNXDense {
  static let rows: [ONNXRow] = [
    ONNXRow(Dense.self) { (operation, draft) throws(WeighbridgeError) in
      if draft.type().rank == 2 {
        let inputs = draft.allInputs()
        return draft.add("Gemm", inputs, ["transB": .integer(1)])
      }
      // A quantized kernel is computed when the model runs.
      let turned =
        if let kernel = draft.operands[1].constant {
          try draft.weight(
            1, "transposed", shape: kernel.shape.reversed(), parts: [kernel.permuted([1, 0])])
        } else {
          draft.transpose(draft.input(1), [1, 0])
        }
      let product = draft.add("MatMul", [draft.input(), turned])
      return operation.hasBias ? draft.add("Add", [product, draft.input(2)]) : product
    },
    ONNXRow(EinsumDense.self) { (operation, draft) throws(WeighbridgeError) in
      let product = draft.einsum(
        [draft.input(0), draft.input(1)], [operation.input.letters, operation.kernel.letters],
        to: operation.output.letters)
      guard !operation.bias.letters.isEmpty else { return product }
      let output = operation.output.letters
      let axes = operation.bias.letters.compactMap { output.firstIndex(of: $0) }
      return draft.add("Add", [product, try draft.alongAxis(2, axes, rank: output.count)])
    },
  ]
}
