import Bytes
import ConversionCore
import GraphIR
import LayerCatalog
import ONNXFormat

/// Products with matrices of weights.
enum ONNXDense {
  static let rows: [ONNXRow] = [
    ONNXRow(Dense.self) { (operation, builder) throws(WeighbridgeError) in
      if builder.type().rank == 2 {
        let inputs = builder.allInputs()
        return builder.add("Gemm", inputs, ["transB": .integer(1)])
      }
      // A quantized kernel is computed when the model runs.
      let turned =
        if let kernel = builder.operands[1].constant {
          try builder.weight(
            1, "transposed", shape: kernel.shape.reversed(), parts: [kernel.permuted([1, 0])])
        } else {
          builder.transpose(builder.input(1), [1, 0])
        }
      let product = builder.add("MatMul", [builder.input(), turned])
      return operation.hasBias ? builder.add("Add", [product, builder.input(2)]) : product
    },
    ONNXRow(EinsumDense.self) { (operation, builder) throws(WeighbridgeError) in
      let product = builder.einsum(
        [builder.input(0), builder.input(1)],
        [operation.input.letters, operation.kernel.letters],
        to: operation.output.letters)
      guard !operation.bias.letters.isEmpty else { return product }
      let output = operation.output.letters
      let axes = operation.bias.letters.compactMap { output.firstIndex(of: $0) }
      return builder.add("Add", [product, try builder.alongAxis(2, axes, rank: output.count)])
    },
  ]
}
