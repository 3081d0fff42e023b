import Bytes
import CoreMLFormat
import GraphIR
import LayerCatalog
import ProtobufWire

/// Products with matrices of weights, and rows of tables.
enum CoreMLDense {
  static let rows: [CoreMLRow] = [
    CoreMLRow(Dense.self) { (operation, draft) throws(WeighbridgeError) in
      let x = try draft.input()
      guard let kernel = draft.operands[1].constant else {
        // A quantized kernel is computed when the model runs.
        let product = try draft.matrixProduct(x, try draft.input(1), transposesSecond: true)
        return operation.hasBias ? try draft.sum(product, try draft.input(2)) : product
      }
      // Of more axes Core ML's own makes one before it multiplies.
      guard draft.type().rank <= 3 else { return try draft.product(x, kernel, operation) }
      var settings: ProtobufRecord = [
        "inputChannels": .integer(kernel.shape[1]), "outputChannels": .integer(kernel.shape[0]),
        "hasBias": .boolean(operation.hasBias), "weights": draft.weights(kernel),
      ]
      if operation.hasBias { settings["bias"] = try draft.weights(2) }
      return try draft.add("innerProduct", [x], settings)
    },
    CoreMLRow(EinsumDense.self) { (operation, draft) throws(WeighbridgeError) in
      let product = try draft.einsum(
        (try draft.input(0), draft.type(0), operation.input.letters),
        (try draft.input(1), draft.type(1), operation.kernel.letters),
        to: operation.output.letters)
      guard !operation.bias.letters.isEmpty else { return product }
      let output = operation.output.letters
      let axes = operation.bias.letters.compactMap { output.firstIndex(of: $0) }
      return try draft.sum(product, try draft.alongAxes(2, axes, rank: output.count))
    },
    CoreMLRow(Embedding.self) { (_, draft) throws(WeighbridgeError) in
      let table = try draft.tensor(1)
      let isWhole = !draft.type().elementType.isFloat
      let places = isWhole ? try draft.input() : try draft.truncate(try draft.input())
      let column = try draft.expandDims(places, [draft.type().rank])
      return try draft.add(
        "embeddingND", [column],
        [
          "vocabSize": .integer(table.shape[0]), "embeddingSize": .integer(table.shape[1]),
          "weights": draft.weights(table.permuted([1, 0])),
        ])
    },
  ]
}

extension CoreMLDraft {
  /// The product with a matrix along the last axis.
  fileprivate mutating func product(
    _ input: String, _ kernel: Tensor, _ operation: Dense
  ) throws(WeighbridgeError) -> String {
    var settings: ProtobufRecord = [
      "weightMatrixFirstDimension": .integer(kernel.shape[1]),
      "weightMatrixSecondDimension": .integer(kernel.shape[0]),
      "hasBias": .boolean(operation.hasBias), "weights": weights(kernel),
    ]
    if operation.hasBias { settings["bias"] = try weights(2) }
    return try add("batchedMatmul", [input], settings)
  }
}
